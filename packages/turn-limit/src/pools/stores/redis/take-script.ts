import { LOST, RECORD, script, VERSION } from "./script.ts";

/** What came of a request, by its number in the script. */
export const KINDS = ["granted", "refused", "frozen", "stale"] as const;

/**
 * Settles and reserves, as `taken` of the ledger's rules does, on the server. It reads the record once and writes it
 * once. A server without memory refuses the first HSET, and nothing else is written before one.
 */
export const TAKE = script(`
local request = cjson.decode(ARGV[1])
local given = request.now
${RECORD}
local field = 'm:' .. request.id
local found = call('HMGET', KEYS[1], 'version', 'sums', 'rules', 'head', field)
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local isNew = not sums
if isNew then
  sums = newSums()
  if found[2] then found = {} end
end
local known = request.known
if known and (known[1] ~= sums[BORN] or known[2] > sums[SEQ]) and (known[3] == 0 or known[3] > now) then
  return redis.error_reply('${LOST} counts are gone')
end
local settled, held = sums[SETTLED], sums[HELD]
local member = found[5] and unpacked(found[5])
local isWritten = isNew

if sweep(sums, request.id, member) then isWritten = true end

if not member then
  member = { 0, 0, 0, 0, {}, request.name, {}, {}, {}, sums[JOINED] + 1 }
end

local function reserve()
  local rules = found[3] and cjson.decode(found[3]) or { {}, {} }
  if rules[3] and rules[3] ~= request.thawed and not request.force then return 3, {} end
  local want, hold, limits, extra = request.want or {}, request.hold or {}, request.limits or rules[1], rules[2]
  local wanted, expected, more = {}, {}, {}
  for i = 1, #want, 2 do wanted[want[i]] = want[i + 1] end
  for i = 1, #hold, 2 do expected[hold[i]] = hold[i + 1] end
  for i = 1, #extra, 2 do more[extra[i]] = extra[i + 1] end
  local refused, holds = {}, {}
  for i = 1, #limits, 2 do
    local measure, max = limits[i], limits[i + 1]
    local granted = more[measure] or 0
    if max ~= 'unlimited' and granted ~= 'unlimited' then
      local left = max + granted - (settled[measure] or 0) - (held[measure] or 0)
      local most = expected[measure]
      if wanted[measure] and wanted[measure] > left then refused[#refused + 1] = measure end
      if most and left <= 0 then
        refused[#refused + 1] = measure
      elseif most then
        holds[measure] = math.min(most, left)
      end
    end
  end
  if #refused > 0 and not request.force then return 2, refused end
  for i = 1, #want, 2 do
    plus(settled, want[i], want[i + 1])
    plus(member[USED], want[i], want[i + 1])
  end
  if request.hold then
    for measure, amount in pairs(holds) do plus(held, measure, amount) end
    member[HOLDS] = holds
  end
  return 1, {}
end

local reserves = request.want or request.hold
local kind, refused, isTaken
if member[KIND] ~= 0 and member[TURN] == request.turn then
  kind, refused = member[KIND], member[REFUSED]
elseif reserves and request.from and (now < request.from or now >= request.to) then
  kind, refused = 4, {}
else
  local used, given = member[USED], request.settle
  local settle = {}
  for i = 1, #given, 2 do settle[given[i]] = given[i + 1] end
  for measure, amount in pairs(member[PAID]) do settle[measure] = (settle[measure] or 0) - amount end
  for measure, amount in pairs(settle) do
    -- What is given back may have been taken before a reset. Then it is not there any more.
    amount = math.max(amount, -(used[measure] or 0))
    plus(settled, measure, amount)
    plus(used, measure, amount)
  end
  if request.hold or request.leaves then
    for measure, amount in pairs(member[HOLDS]) do plus(held, measure, -amount) end
    member[HOLDS] = {}
  end
  kind, refused = 1, {}
  if reserves then kind, refused = reserve() end
  member[TURN], member[KIND], member[REFUSED] = request.turn, kind, refused
  member[NAME], member[PAID] = request.name, {}
  member[UNTIL] = request.leaves and 0 or now + request.lease
  isTaken = true
end

local starts, ends
if isTaken then
  isWritten = true
  local score, until_ = member[SCORE], member[UNTIL]
  ends = until_ == 0 and score ~= 0
  starts = until_ ~= 0 and (score == 0 or until_ < score)
  if starts and score == 0 then sums[AGENTS] = sums[AGENTS] + 1 end
  if ends then sums[AGENTS] = sums[AGENTS] - 1 end
  if starts or ends then member[SCORE] = until_ end
  if starts and (sums[SWEEP] == 0 or until_ < sums[SWEEP]) then sums[SWEEP] = until_ end
  sums[JOINED] = math.max(sums[JOINED], member[PLACE])
end
local expires = request.expires
local lasts = expires and expires ~= sums[EXPIRES]
if lasts then sums[EXPIRES] = expires end
if isWritten or lasts then
  sums[SEQ] = sums[SEQ] + 1
  if isNew then call('HSET', KEYS[1], 'version', '${VERSION}') end
  if isTaken then
    call('HSET', KEYS[1], 'sums', pack(sums), field, pack(member))
  else
    call('HSET', KEYS[1], 'sums', pack(sums))
  end
  if starts then call('ZADD', KEYS[2], member[UNTIL], request.id) end
  if ends then call('ZREM', KEYS[2], request.id) end
  if lasts then call('PEXPIRE', KEYS[1], expires - now) end
  if sums[EXPIRES] ~= 0 and (lasts or starts) then call('PEXPIRE', KEYS[2], sums[EXPIRES] - now) end
end
-- A lease of no time at all is over at once.
local isGone = isTaken and member[UNTIL] ~= 0 and member[UNTIL] <= now
local reply = {
  kind, now, isGone and sums[AGENTS] - 1 or sums[AGENTS], sums[BORN], sums[SEQ], sums[EXPIRES], #refused,
}
local size = 7
for i = 1, #refused do reply[size + i] = refused[i] end
size = size + #refused
-- How many there are, then names and numbers in turn. The client does not read numbers of 16 digits exactly.
local function tell(amounts)
  size = size + 1
  local first = size
  for measure, amount in pairs(amounts) do
    reply[size + 1] = measure
    reply[size + 2] = amount < 1e15 and amount > -1e15 and amount or string.format('%.0f', amount)
    size = size + 2
  end
  reply[first] = (size - first) / 2
end
tell(member[HOLDS])
tell(settled)
tell(held)
reply[size + 1] = found[4] or ''
return reply
`);
