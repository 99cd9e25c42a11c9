import { PERIOD_KEPT } from "../../ledger/rules.ts";
import { DEPARTURES, RECORD, script, VERSION } from "./script.ts";

/** What came of a request, by its number in the script. */
export const KINDS = ["granted", "refused", "frozen", "stale", "late", "forgotten", "lost"] as const;

/** How the script replies to a request that nobody waits for any more: with this, and the time. */
export const OVERDUE = 0;

/**
 * Settles and reserves, as `taken` of the ledger's rules does, on the server. It reads the record once and writes it
 * once. A server without memory refuses the first ZADD or HSET, and nothing else is written before one.
 */
export const TAKE = script(`
local request = cjson.decode(ARGV[1])
local given = request.now
${RECORD}
if request.before and now >= request.before then return { ${OVERDUE}, now } end
${DEPARTURES}
local field = 'm:' .. request.id
local found = call('HMGET', KEYS[1], 'version', 'sums', 'extra', 'state', field, 'limits', 'frozen', 'head')
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
if not found[5] then
  wrong = notAllowed()
  if wrong then return wrong end
end
local isNew = not sums
if isNew then
  sums = newSums()
  if found[2] then found = {} end
end
local limits, frozen, head = found[6], found[7], found[8]
if KEYS[3] then
  local ofPool = call('HMGET', KEYS[3], 'limits', 'frozen', 'head')
  limits, frozen, head = ofPool[1], ofPool[2], ofPool[3]
end
local settled, held = sums[SETTLED], sums[HELD]
local member = found[5] and unpacked(found[5])
local isWritten
isWritten, member = sweep(sums, request.id, member)

local function outOfOrder()
  if member and request.incarnation < member[INCARNATION] then return 5 end
  if member and request.incarnation == member[INCARNATION] then
    if request.answered > member[TURN] then return 7 end
    return request.turn < member[TURN] and 5 or nil
  end
  if request.answered == 0 then return nil end
  local keepFor = request.keepFor
  local isExpired = keepFor and sums[BORN] >= request.heard + math.max(keepFor, request.lease)
  local isForgotten = sums[BORN] <= request.heard and request.heard <= sums[FORGOTTEN]
  return not member and (isExpired or isForgotten) and 6 or 7
end

local function reserve()
  if frozen and frozen ~= '' and tonumber(frozen) ~= request.thawed and not request.force then return 3, {} end
  local want, hold = request.want or {}, request.hold or {}
  local most = request.limits or limits and cjson.decode(limits) or {}
  local wanted, expected, more = {}, {}, {}
  for i = 1, #want, 2 do wanted[want[i]] = want[i + 1] end
  for i = 1, #hold, 2 do expected[hold[i]] = hold[i + 1] end
  if found[3] and found[3] ~= '' then
    local extra = cjson.decode(found[3])
    for i = 1, #extra, 2 do more[extra[i]] = extra[i + 1] end
  end
  local refused, holds = {}, {}
  for i = 1, #most, 2 do
    local measure, max = most[i], most[i + 1]
    local granted = more[measure] or 0
    if max ~= 'unlimited' and granted ~= 'unlimited' then
      local left = max + granted - (settled[measure] or 0) - (held[measure] or 0)
      local estimate = expected[measure]
      if wanted[measure] and wanted[measure] > left then refused[#refused + 1] = measure end
      if estimate and left <= 0 then
        refused[#refused + 1] = measure
      elseif estimate then
        holds[measure] = math.min(estimate, left)
      end
    end
  end
  if #refused > 0 and not request.force then return 2, refused end
  for i = 1, #want, 2 do
    plus(settled, want[i], want[i + 1])
    plus(member[USED], want[i], want[i + 1])
    plus(member[TOLD], want[i], want[i + 1])
  end
  if request.hold then
    for measure, amount in pairs(holds) do plus(held, measure, amount) end
    member[HOLDS] = holds
  end
  return 1, {}
end

local reserves = request.want or request.hold
local kind, refused, isTaken = outOfOrder(), {}, false
if kind then
  refused = {}
elseif member and member[INCARNATION] == request.incarnation and member[KIND] ~= 0 and member[TURN] == request.turn then
  kind, refused = member[KIND], member[REFUSED]
elseif reserves and request.from and (now < request.from or now >= request.to) then
  kind = 4
else
  if not member then
    member = { 0, 0, 0, 0, {}, request.name, {}, {}, {}, sums[JOINED] + 1, {}, request.incarnation }
  elseif member[INCARNATION] ~= request.incarnation then
    -- What an earlier incarnation held, nobody will settle any more.
    lapse(sums, member)
    member[TOLD], member[PAID] = {}, {}
  end
  local used, told, settle = member[USED], {}, {}
  local given = request.used
  for i = 1, #given, 2 do
    told[given[i]] = given[i + 1]
    settle[given[i]] = given[i + 1]
  end
  for measure, amount in pairs(member[TOLD]) do settle[measure] = (settle[measure] or 0) - amount end
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
  member[TOLD], member[PAID], member[NAME] = told, {}, request.name
  kind, refused = 1, {}
  if reserves then kind, refused = reserve() end
  member[INCARNATION], member[TURN], member[KIND], member[REFUSED] = request.incarnation, request.turn, kind, refused
  member[UNTIL] = request.leaves and 0 or now + request.lease
  isTaken = true
end

local starts, ends, lasts
if isTaken then
  isWritten = true
  local score, until_ = member[SCORE], member[UNTIL]
  -- Whoever leaves again departs again.
  ends = until_ == 0
  starts = until_ ~= 0 and (score == 0 or until_ < score)
  if starts and score == 0 then sums[AGENTS] = sums[AGENTS] + 1 end
  if ends and score ~= 0 then sums[AGENTS] = sums[AGENTS] - 1 end
  if starts or ends then member[SCORE] = until_ end
  if starts and (sums[SWEEP] == 0 or until_ < sums[SWEEP]) then sums[SWEEP] = until_ end
  sums[JOINED] = math.max(sums[JOINED], member[PLACE])
  local expires = sums[EXPIRES]
  if request.to then
    expires = request.to + ${PERIOD_KEPT}
  elseif request.keepFor then
    local ends = math.ceil(now + math.max(request.keepFor, request.lease))
    expires = math.max(expires, math.min(8640000000000000, ends))
  end
  lasts = expires ~= sums[EXPIRES]
  sums[EXPIRES] = expires
end
if isWritten then
  if isTaken then
    if ends then
      depart(sums, request.id)
      forgetDeparted(sums)
    end
    call('HSET', KEYS[1], 'version', '${VERSION}', 'sums', pack(sums), field, pack(member))
    if starts then call('ZADD', KEYS[2], member[UNTIL], request.id) end
  elseif not isNew then
    call('HSET', KEYS[1], 'sums', pack(sums))
  end
  local remaining = sums[EXPIRES] - now
  if lasts then call('PEXPIRE', KEYS[1], remaining) end
  if sums[EXPIRES] ~= 0 and (lasts or starts or ends) then call('PEXPIRE', KEYS[2], remaining) end
  -- A freeze lasts until it is lifted.
  if lasts and KEYS[3] and (not frozen or frozen == '') then call('PEXPIRE', KEYS[3], remaining) end
end
-- A lease of no time at all is over at once.
local isGone = isTaken and member[UNTIL] ~= 0 and member[UNTIL] <= now
local reply = {
  kind, now, isGone and sums[AGENTS] - 1 or sums[AGENTS], member and member[INCARNATION] or 0, #refused,
}
local size = 5
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
tell(member and member[HOLDS] or {})
tell(settled)
tell(held)
reply[size + 1] = head or ''
reply[size + 2] = found[4] or ''
return reply
`);
