import { CLOCK, script, VERSION } from "./script.ts";
import { OVERDUE } from "./take-script.ts";

/** How {@link TAKE_KNOWN} replies when it has granted all, and when it has done nothing: then TAKE has to decide. */
export const GRANTED_ALL = 2;
export const NOT_KNOWN = 3;

/**
 * Grants requests of members whose rows nobody has touched since their last requests were granted by this process, which are
 * nearly all. What they come to is known then, and all that is left to find out is whether the pool covers it. If anything
 * is otherwise, nothing is done, and TAKE decides by the rules: nothing in here decides anything but that all of it is granted.
 *
 * What changes of a member is kept behind what TAKE wrote of it, as one text and the end of its lease: nobody has to read
 * the rest. Whatever else changes a member writes it without that text. So who finds the text that it expects knows that no
 * request of the member came in between, and that this one was not made before.
 *
 * `ARGV[1]`, a flat list: the time in tests, when nobody waits for it any more, how many requests and how many measures, the
 * limits of the pool that they go by (`false`: their own) and what they know to be allowed in addition, the period, when the
 * record of it expires, for how long a record without one is kept at least. Then each member's field, then each request: the
 * text that it expects to find, its incarnation, the new text, the lease, and for each measure how much may be settled and
 * held before, what is settled, and what is held in addition.
 */
export const TAKE_KNOWN = script(`
local asked = cjson.decode(ARGV[1])
local given = asked[1]
${CLOCK}
if asked[2] and now >= asked[2] then return { ${OVERDUE}, now } end
local count, rows = asked[3], asked[4]
local found
if count == 1 then
  found = call('HMGET', KEYS[1], 'version', 'sums', 'extra', 'state', 'limits', 'frozen', 'head', asked[11])
else
  found = call('HMGET', KEYS[1], 'version', 'sums', 'extra', 'state', 'limits', 'frozen', 'head', unpack(asked, 11, 10 + count))
end
local limits, frozen, head = found[5], found[6], found[7]
if KEYS[3] then
  local ofPool = call('HMGET', KEYS[3], 'limits', 'frozen', 'head')
  limits, frozen, head = ofPool[1], ofPool[2], ofPool[3]
end
if found[1] ~= '${VERSION}' or not found[2] or (frozen and frozen ~= '')
  or (asked[5] and asked[5] ~= (limits or '')) or asked[6] ~= (found[3] or '')
  or (asked[7] and (now < asked[7] or now >= asked[8])) then
  return { ${NOT_KNOWN}, now }
end
local sums = { unpacked(found[2]) }
local expires, sweep = sums[EXPIRES], sums[SWEEP]
if #sums ~= 8 + 3 * rows or (expires ~= 0 and expires <= now) or (sweep ~= 0 and sweep <= now)
  or (asked[9] and expires ~= asked[9]) then
  return { ${NOT_KNOWN}, now }
end

local values = { 'sums', '' }
local at = 10 + count
for i = 1, count do
  local packed, expected, text = found[7 + i], asked[at + 1], asked[at + 3]
  if not packed then return { ${NOT_KNOWN}, now } end
  local until_ = now + asked[at + 4]
  local last, tail = pack(until_), pack(expected)
  local stop = #packed - #last - #tail
  local before
  if string.sub(packed, stop + 1, stop + #tail) == tail then
    before = unpacked(string.sub(packed, stop + #tail + 1))
    packed = string.sub(packed, 1, stop)
  else
    -- It may be as TAKE wrote it.
    local member = { unpacked(packed) }
    if #member ~= 9 + 4 * rows or member[INCARNATION] ~= asked[at + 2] or member[KIND] ~= 1 or member[UNTIL] == 0 then
      return { ${NOT_KNOWN}, now }
    end
    local said = string.format('%.0f', member[TURN])
    for place = 9, 5 + 4 * rows, 4 do
      if member[place + PAID] ~= 0 then return { ${NOT_KNOWN}, now } end
      said = string.format('%s 0 %.0f %.0f', said, member[place + TOLD], member[place + HOLDS])
    end
    if said ~= expected then return { ${NOT_KNOWN}, now } end
    before = member[UNTIL]
  end
  -- A lease that ends earlier than it did may have to be looked for earlier.
  if until_ < before then return { ${NOT_KNOWN}, now } end
  values[2 * i + 1], values[2 * i + 2] = asked[10 + i], packed .. pack(text) .. last
  at = at + 4
  for place = 10, 7 + 3 * rows, 3 do
    local settled, held, most = sums[place], sums[place + 1], asked[at + 1]
    if most and settled + held > most then return { ${NOT_KNOWN}, now } end
    settled, held = settled + asked[at + 2], held + asked[at + 3]
    -- Numbers of 16 digits the client reads only as TAKE writes them.
    if settled >= 1e15 or settled <= -1e15 or held >= 1e15 then return { ${NOT_KNOWN}, now } end
    sums[place], sums[place + 1] = settled, held
    at = at + 3
  end
end

local lasts = false
if asked[10] ~= 0 and not asked[9] then
  local latest = math.max(expires, math.min(8640000000000000, math.ceil(now + asked[10])))
  lasts, sums[EXPIRES] = latest ~= expires, latest
end
values[2] = pack(unpack(sums))
call('HSET', KEYS[1], unpack(values))
if lasts then
  local remaining = sums[EXPIRES] - now
  call('PEXPIRE', KEYS[1], remaining)
  call('PEXPIRE', KEYS[2], remaining)
  if KEYS[3] then call('PEXPIRE', KEYS[3], remaining) end
end
local reply = { ${GRANTED_ALL}, now, head or '', found[4] or '', sums[AGENTS] }
for row = 1, rows do
  reply[4 + 2 * row], reply[5 + 2 * row] = sums[7 + 3 * row], sums[8 + 3 * row]
end
return reply
`);
