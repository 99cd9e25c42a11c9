import { RECORD, script, VERSION } from "./script.ts";

/**
 * Writes the state of a pool if it is still the one that was expected, and replies with the one that there is. Without a
 * new state it only replies. `ARGV`: the time in tests, the expected state, the new one, its rules, `1` to forget what is settled.
 */
export const CHANGE = script(`
local given = tonumber(ARGV[1])
${RECORD}
local found = call('HMGET', KEYS[1], 'version', 'sums', 'head')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local state = sums and found[3] or ''
if ARGV[3] == '' or state ~= ARGV[2] then return { 0, now, state } end
sums = sums or newSums()
-- What lapsed before a reset is forgotten with the rest.
sweep(sums)
if ARGV[5] == '1' then
  sums[SETTLED] = {}
  local fields = call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    if string.sub(fields[i], 1, 2) == 'm:' then
      local member = unpacked(fields[i + 1])
      member[USED], member[PAID] = {}, {}
      call('HSET', KEYS[1], fields[i], pack(member))
    end
  end
end
sums[SEQ] = sums[SEQ] + 1
call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(sums), 'head', ARGV[3], 'rules', ARGV[4])
return { 1, now, ARGV[3] }
`);

/** A record with all its members. It changes nothing. */
export const READ = script(`
local given = tonumber(ARGV[1])
${RECORD}
local found = call('HMGET', KEYS[1], 'version', 'sums', 'head')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
if not sums then return { now } end
local members = {}
local fields = call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 'm:' then
    local member = unpacked(fields[i + 1])
    members[#members + 1] = {
      string.sub(fields[i], 3), member[NAME], listed(member[USED]), listed(member[HOLDS]), listed(member[PAID]),
      member[UNTIL], member[TURN], member[PLACE],
    }
  end
end
return { now, listed(sums[SETTLED]), listed(sums[HELD]), found[3] or '', members }
`);
