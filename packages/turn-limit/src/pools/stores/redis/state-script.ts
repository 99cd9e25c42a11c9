import { GRANTS_KEPT, REMEMBERED_GRANTS_OF_ONE } from "../../ledger/grants.ts";
import { REMEMBERED_MEMBERS } from "../../ledger/rules.ts";
import {
  ALLOWED,
  ALLOWED_WITH_GRANTS,
  AMOUNTS,
  DEPARTURES,
  OTHER_VERSION,
  RECORD,
  script,
  VERSION,
} from "./script.ts";
import { OVERDUE } from "./take-script.ts";

/**
 * Writes the head or the state of a pool if it is still the one that was expected, and replies with those that there are.
 * Without a new text it only replies. `ARGV`: the time in tests, when nobody waits for it any more, `head` or `state`, the
 * field of an extension, the expected text, the new one, what of it decides requests (for a head limits and since when it is
 * frozen, for a state what is allowed in addition), `1` to forget what is settled, `1` if the record must be there, what a
 * person decided, from when on nothing is written. `KEYS[3]`: where what holds in every period is, which may be the record; `KEYS[4]`: what persons decided.
 */
export const CHANGE = script(`
local given = tonumber(ARGV[1])
${RECORD}
if ARGV[2] ~= '' and now >= tonumber(ARGV[2]) then return { ${OVERDUE}, now } end
${ALLOWED_WITH_GRANTS}
${AMOUNTS}
${DEPARTURES}
local part, key, expected, text = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local poolKey = KEYS[3]
local hasPeriods = KEYS[3] ~= KEYS[1]
local found = call('HMGET', KEYS[1], 'version', 'sums', 'state')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local state = sums and found[3] or ''
local head = (sums or hasPeriods) and call('HGET', poolKey, 'head') or ''
local isKnown = key ~= '' and call('HEXISTS', KEYS[1], key) or 0
local before = part == 'head' and head or state
wrong = notAllowed()
if wrong then return wrong end
local function newSums() return { 0, 0, 0, now, 0, 0, 0, 0 } end
-- What lapsed before an extension is used, and what lapsed before a reset is forgotten with the rest.
local rare = sums and part == 'state' and departures(sums, {})
if rare and rare.sweep() then call('HSET', KEYS[1], 'sums', pack(unpack(sums))) end
local isGone = ARGV[10] == '1' and not sums
if isGone then return { 1, now, 2, '', '', 0, {} } end
local isOver = ARGV[12] ~= '' and now >= tonumber(ARGV[12])
if text == '' or before ~= expected or isKnown == 1 or isOver then
  return { 1, now, 0, head, state, isKnown, sums and listed(sums, sums, 8, 3, SETTLED) or {} }
end

local function keep()
  if ARGV[11] == '' then return end
  call('RPUSH', KEYS[4], (string.gsub(ARGV[11], '"at":0', '"at":' .. string.format('%.0f', now), 1)))
  call('LTRIM', KEYS[4], -${REMEMBERED_GRANTS_OF_ONE}, -1)
  call('PEXPIRE', KEYS[4], ${GRANTS_KEPT})
end

if part == 'head' then
  call('HSET', poolKey, 'head', text, 'limits', ARGV[7], 'frozen', ARGV[8])
  if hasPeriods and ARGV[8] ~= '' then call('PERSIST', KEYS[3]) end
  if not hasPeriods and not sums then
    call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(unpack(newSums())))
  end
  keep()
  return { 1, now, 1, text, state, 0, {} }
end
sums = sums or newSums()
if ARGV[9] == '1' then
  for row = 8, #sums - 3, 3 do sums[row + SETTLED] = 0 end
  for _, id in ipairs(call('ZRANGE', KEYS[2], 0, -1)) do
    local member = rare and rare.entryOf(id)
    if member then
      for at = 9, #member - 4, 4 do member[at + USED], member[at + PAID] = 0, 0 end
      call('HSET', KEYS[1], 'm:' .. id, pack(unpack(member)))
    end
  end
end
call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(unpack(sums)), 'state', text, 'extra', ARGV[7])
if key ~= '' then call('HSET', KEYS[1], key, '1') end
keep()
return { 1, now, 1, head, text, 0, {} }
`);

/**
 * What both looks at a record begin with. A few members whose lease is over are reckoned with, and nothing is written. Of
 * more, the leases are ended, so that only one look takes the time for it.
 */
const FOUND = `
local given = tonumber(ARGV[1])
${RECORD}
${AMOUNTS}
local found = call('HMGET', KEYS[1], 'version', 'sums', 'state')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local head = KEYS[3] and call('HGET', KEYS[3], 'head') or sums and call('HGET', KEYS[1], 'head') or ''
if not sums then return { now, head } end
if sums[SWEEP] ~= 0 and sums[SWEEP] <= now and call('ZCOUNT', KEYS[2], 0, now) > ${REMEMBERED_MEMBERS} then
  ${ALLOWED}
  wrong = notAllowed()
  if wrong then return wrong end
  ${DEPARTURES}
  departures(sums, {}).sweep()
  call('HSET', KEYS[1], 'sums', pack(unpack(sums)))
end
local function entryOf(id)
  local packed = call('HGET', KEYS[1], 'm:' .. id)
  return packed and memberOf(packed)
end
`;

/** A record with its members. */
export const READ = script(`
${FOUND}
local members = {}
for _, id in ipairs(call('ZRANGE', KEYS[2], 0, -1)) do
  local member = entryOf(id)
  if member then
    members[#members + 1] = {
      id, member[NAME], listed(sums, member, 9, 4, USED), listed(sums, member, 9, 4, HOLDS), member[UNTIL], member[PLACE],
      member[RUN],
    }
  end
end
local settled, held = listed(sums, sums, 8, 3, SETTLED), listed(sums, sums, 8, 3, HELD)
return { now, head, settled, held, found[3] or '', sums[GONE], members }
`);

/** A record without its members. */
export const LOOK = script(`
${FOUND}
local agents = sums[AGENTS]
if sums[SWEEP] ~= 0 and sums[SWEEP] <= now then
  for _, id in ipairs(call('ZRANGEBYSCORE', KEYS[2], 0, now)) do
    local member = entryOf(id)
    if member and member[UNTIL] <= now then
      lapse(sums, member)
      agents = agents - 1
    end
  end
end
return { now, head, listed(sums, sums, 8, 3, SETTLED), listed(sums, sums, 8, 3, HELD), found[3] or '', agents }
`);

/** What persons decided about one pool or run. */
export const GRANTS = script("return redis.call('LRANGE', KEYS[1], 0, -1)");

/** How many milliseconds it is known who deleted something: for longer than a request is made again. */
const DELETED_KEPT = 600_000;

/**
 * Forgets a record and its leases, or what holds in all periods of a pool. How many keys there were, also if it is made again.
 * The last key: where it is remembered by which request, `ARGV[1]`, it was deleted, if the server lets us.
 */
export const DELETE = script(`
local version = redis.call('HGET', KEYS[1], 'version')
if version and version ~= '${VERSION}' then return redis.error_reply('${OTHER_VERSION} ' .. version) end
local deleted = redis.call('DEL', unpack(KEYS, 1, #KEYS - 1))
if deleted == 0 then return redis.call('HEXISTS', KEYS[#KEYS], ARGV[1]) end
redis.pcall('HSET', KEYS[#KEYS], ARGV[1], '1')
redis.pcall('PEXPIRE', KEYS[#KEYS], ${DELETED_KEPT})
return deleted
`);
