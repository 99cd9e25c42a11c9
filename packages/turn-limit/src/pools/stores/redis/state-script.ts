import { DEPARTURES, OTHER_VERSION, RECORD, script, VERSION } from "./script.ts";
import { OVERDUE } from "./take-script.ts";

/**
 * Writes the head or the state of a pool if it is still the one that was expected, and replies with those that there are.
 * Without a new text it only replies. `ARGV`: the time in tests, when nobody waits for it any more, `head` or `state`, the
 * field of an extension, the expected text, the new one, what of it decides requests (for a head limits and since when it is
 * frozen, for a state what is allowed in addition), `1` to forget what is settled.
 */
export const CHANGE = script(`
local given = tonumber(ARGV[1])
${RECORD}
if ARGV[2] ~= '' and now >= tonumber(ARGV[2]) then return { ${OVERDUE}, now } end
${DEPARTURES}
local part, key, expected, text = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local poolKey = KEYS[3] or KEYS[1]
local found = call('HMGET', KEYS[1], 'version', 'sums', 'state')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local state = sums and found[3] or ''
local head = (sums or KEYS[3]) and call('HGET', poolKey, 'head') or ''
local isKnown = key ~= '' and call('HEXISTS', KEYS[1], key) or 0
local before = part == 'head' and head or state
if text == '' or before ~= expected or isKnown == 1 then return { 1, now, 0, head, state, isKnown } end
wrong = notAllowed()
if wrong then return wrong end

if part == 'head' then
  call('HSET', poolKey, 'head', text, 'limits', ARGV[7], 'frozen', ARGV[8])
  if KEYS[3] and ARGV[8] ~= '' then call('PERSIST', KEYS[3]) end
  if not KEYS[3] and not sums then
    call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(newSums()))
  end
  return { 1, now, 1, text, state, 0 }
end
sums = sums or newSums()
-- What lapsed before a reset is forgotten with the rest.
sweep(sums)
if ARGV[9] == '1' then
  sums[SETTLED] = {}
  for _, id in ipairs(call('ZRANGE', KEYS[2], 0, -1)) do
    local member = entryOf(id)
    if member then
      member[USED], member[PAID] = {}, {}
      call('HSET', KEYS[1], 'm:' .. id, pack(member))
    end
  end
end
call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(sums), 'state', text, 'extra', ARGV[7])
if key ~= '' then call('HSET', KEYS[1], key, '1') end
return { 1, now, 1, head, text, 0 }
`);

/** What both looks at a record begin with. */
const FOUND = `
local given = tonumber(ARGV[1])
${RECORD}
local found = call('HMGET', KEYS[1], 'version', 'sums', 'state')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local head = KEYS[3] and call('HGET', KEYS[3], 'head') or sums and call('HGET', KEYS[1], 'head') or ''
if not sums then return { now, head } end
`;

/** A record with its members. It changes nothing. */
export const READ = script(`
${FOUND}
local members = {}
for _, id in ipairs(call('ZRANGE', KEYS[2], 0, -1)) do
  local member = entryOf(id)
  if member then
    members[#members + 1] = {
      id, member[NAME], listed(member[USED]), listed(member[HOLDS]), member[UNTIL], member[PLACE],
    }
  end
end
return { now, head, listed(sums[SETTLED]), listed(sums[HELD]), found[3] or '', sums[GONE], members }
`);

/** A record without its members. It changes nothing. */
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
return { now, head, listed(sums[SETTLED]), listed(sums[HELD]), found[3] or '', agents }
`);

/** Forgets a record and its leases, or what holds in all periods of a pool. */
export const DELETE = script(`
local version = redis.call('HGET', KEYS[1], 'version')
if version and version ~= '${VERSION}' then return redis.error_reply('${OTHER_VERSION} ' .. version) end
return redis.call('DEL', unpack(KEYS))
`);
