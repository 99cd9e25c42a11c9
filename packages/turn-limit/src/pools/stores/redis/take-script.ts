import { PERIOD_KEPT } from "../../ledger/rules.ts";
import { ALLOWED, DEPARTURES, RECORD, script, VERSION } from "./script.ts";

/** What came of a request, by its number in the script. */
export const KINDS = ["granted", "refused", "frozen", "stale", "late", "forgotten", "lost"] as const;

/** How the scripts reply to a request that nobody waits for any more: with this, and the time. */
export const OVERDUE = 0;

/**
 * Settles and reserves, as `taken` of the ledger's rules does, on the server: any number of requests to one record, one
 * after the other. It reads the record once and writes it once. A server without memory refuses the first ZADD or HSET, and
 * nothing else is written before one.
 *
 * `ARGV[1]` and the reply are flat lists, as `take-wire.ts` writes and reads them: lists in lists take longer on both sides.
 */
export const TAKE = script(`
local asked = cjson.decode(ARGV[1])
local given = asked[1]
${RECORD}
if asked[2] and now >= asked[2] then return { ${OVERDUE}, now } end
local count = asked[3]
local found
if count == 1 then
  found = call('HMGET', KEYS[1], 'version', 'sums', 'extra', 'state', 'limits', 'frozen', 'head', 'm:' .. asked[4])
else
  local fields = { 'version', 'sums', 'extra', 'state', 'limits', 'frozen', 'head' }
  for i = 1, count do fields[7 + i] = 'm:' .. asked[3 + i] end
  found = call('HMGET', KEYS[1], unpack(fields))
end
local sums, wrong = sumsOf(found[1], found[2])
if wrong then return wrong end
local isNew = not sums
if isNew and found[1] then found = {} end
local extra, state, limits, frozen, head = found[3], found[4], found[5], found[6], found[7]
if KEYS[3] then
  local ofPool = call('HMGET', KEYS[3], 'limits', 'frozen', 'head')
  limits, frozen, head = ofPool[1], ofPool[2], ofPool[3]
end
if frozen == '' then frozen = false end
if extra == '' then extra = false end

-- Members by their ids, and those of them that have to be written.
local members, changed = {}, {}
local hasStrangers = false
for i = 1, count do
  local packed = found[7 + i]
  if packed then
    members[asked[3 + i]] = memberOf(packed)
  else
    members[asked[3 + i]] = false
    hasStrangers = true
  end
end
${DEPARTURES}
if hasStrangers then
  ${ALLOWED}
  wrong = notAllowed()
  if wrong then return wrong end
end
local isWritten, isTaken, lasts, moves = false, false, false, false
if isNew then sums = { 0, 0, 0, now, 0, 0, 0, 0 } end
-- What others removed is looked for where it matters, and not with each request.
local rare
if hasStrangers or (sums[SWEEP] ~= 0 and sums[SWEEP] <= now) then
  rare = departures(sums, members)
  isWritten = rare.sweep()
end

local function write()
  local values = { 'sums', pack(unpack(sums)) }
  local size = 2
  for id in pairs(changed) do
    local member = members[id]
    if member then
      values[size + 1], values[size + 2] = 'm:' .. id, pack(unpack(member))
      size = size + 2
    end
  end
  if found[1] ~= '${VERSION}' then values[size + 1], values[size + 2] = 'version', '${VERSION}' end
  call('HSET', KEYS[1], unpack(values))
  changed = {}
end

-- Where a measure is among the sums.
local function rowOf(measure)
  for row = 8, #sums - 3, 3 do
    if sums[row + MEASURE] == measure then return row end
  end
  local row = #sums
  sums[row + MEASURE], sums[row + SETTLED], sums[row + HELD] = measure, 0, 0
  return row
end

local reply, size = { 1, now, head or '', state or '' }, 4
local at = 3 + count
for i = 1, count do
  local id, name, incarnation, turn = asked[3 + i], asked[at + 1], asked[at + 2], asked[at + 3]
  local answered, heard, lease, keepFor = asked[at + 4], asked[at + 5], asked[at + 6], asked[at + 7]
  local from, to, thawed = asked[at + 8], asked[at + 9], asked[at + 10]
  local reserves, holds, leaves, force, isOwn = asked[at + 11], asked[at + 12], asked[at + 13], asked[at + 14], asked[at + 15]
  local run = asked[at + 16]
  -- Of each measure its name, what was used, what is wanted, what is expected, and the member's own maximum.
  local first, last = at + 18, at + 13 + 5 * asked[at + 17]
  at = last + 4

  if sums[SWEEP] ~= 0 and sums[SWEEP] <= now then
    if next(changed) then write() end
    rare = rare or departures(sums, members)
    isWritten = rare.sweep() or isWritten
  end
  local member = members[id]
  local isSame = member and member[INCARNATION] == incarnation
  local kind, refused = 0, ''
  if member and incarnation < member[INCARNATION] then
    kind = 5
  elseif isSame then
    if answered > member[TURN] then
      kind = 7
    elseif turn < member[TURN] then
      kind = 5
    elseif turn == member[TURN] then
      kind, refused = member[KIND], member[REFUSED]
    end
  elseif answered ~= 0 then
    local isExpired = keepFor and sums[BORN] >= heard + math.max(keepFor, lease)
    local isForgotten = sums[BORN] <= heard and heard <= sums[FORGOTTEN]
    kind = not member and (isExpired or isForgotten) and 6 or 7
  end
  if kind == 0 and reserves and from and (now < from or now >= to) then kind = 4 end
  local isGone = false
  if kind == 0 then
    if not member then
      member = { 0, 0, 0, 0, 0, sums[JOINED] + 1, '', '', '' }
      members[id] = member
    end
    -- From here on a measure is given by its row.
    local row = 8
    for part = first, last, 5 do
      local measure = asked[part]
      if sums[row + MEASURE] ~= measure then row = rowOf(measure) end
      asked[part], row = row, row + 3
    end
    for place = #member + 1, 9 + (#sums - 8) / 3 * 4 do member[place] = 0 end
    if not isSame and member[INCARNATION] ~= 0 then
      -- What an earlier incarnation held, nobody will settle any more.
      rare = rare or departures(sums, members)
      rare.lapse(sums, member)
      for place = 9, #member - 4, 4 do member[place + TOLD], member[place + PAID] = 0, 0 end
    end
    -- What is settled is what was used, without what was told before and what was counted in its absence.
    for place = 9, #member - 4, 4 do
      member[place + PAID] = -member[place + TOLD] - member[place + PAID]
      member[place + TOLD] = 0
    end
    for part = first, last, 5 do
      local used = asked[part + 1]
      if used then
        local place = 9 + (asked[part] - 8) / 3 * 4
        member[place + PAID], member[place + TOLD] = member[place + PAID] + used, used
      end
    end
    row = 8
    for place = 9, #member - 4, 4 do
      -- What is given back may have been taken before a reset. Then it is not there any more.
      local used, amount = member[place + USED], member[place + PAID]
      if amount < -used then amount = -used end
      sums[row + SETTLED], member[place + USED], member[place + PAID] = sums[row + SETTLED] + amount, used + amount, 0
      if holds or leaves then
        sums[row + HELD], member[place + HOLDS] = sums[row + HELD] - member[place + HOLDS], 0
      end
      row = row + 3
    end
    kind = 1
    if reserves then
      if frozen and tonumber(frozen) ~= thawed and not force then
        kind = 3
      else
        local more
        if extra then
          more = {}
          local allowed = cjson.decode(extra)
          for n = 1, #allowed, 2 do more[allowed[n]] = allowed[n + 1] end
        end
        -- The maxima that are recorded decide in their order. In place of a maximum comes what is held by it.
        local most = not isOwn and (limits and cjson.decode(limits) or {})
        for n = 1, isOwn and 1 or #most, 2 do
          for part = first, last, 5 do
            local row, max, expected = asked[part], asked[part + 4], false
            local measure = sums[row + MEASURE]
            if isOwn or measure == most[n] then
              if most then max = most[n + 1] end
              local granted = more and more[measure] or 0
              if max and max ~= 'unlimited' and granted ~= 'unlimited' then
                local want, hold = asked[part + 2], asked[part + 3]
                local left = max + granted - sums[row + SETTLED] - sums[row + HELD]
                if want and want > left then refused = refused .. '\\t' .. measure end
                if hold and left <= 0 then
                  refused = refused .. '\\t' .. measure
                elseif hold then
                  expected = hold < left and hold or left
                end
              end
              asked[part + 4] = expected
            end
          end
        end
        if refused ~= '' and not force then
          kind = 2
        else
          refused = ''
          for part = first, last, 5 do
            local row, want, held = asked[part], asked[part + 2], asked[part + 4]
            local place = 9 + (row - 8) / 3 * 4
            if want then
              sums[row + SETTLED] = sums[row + SETTLED] + want
              member[place + USED], member[place + TOLD] = member[place + USED] + want, member[place + TOLD] + want
            end
            if held then sums[row + HELD], member[place + HOLDS] = sums[row + HELD] + held, held end
          end
        end
      end
    end
    if run then member[RUN] = run end
    member[NAME], member[INCARNATION], member[TURN], member[KIND], member[REFUSED] = name, incarnation, turn, kind, refused
    local until_, score = leaves and 0 or now + lease, member[SCORE]
    member[UNTIL] = until_
    isTaken, isWritten, changed[id] = true, true, true
    if member[PLACE] > sums[JOINED] then sums[JOINED] = member[PLACE] end
    -- Whoever leaves again departs again.
    local ends = until_ == 0
    -- A lease of no time at all is over at once.
    isGone = not ends and until_ <= now
    local starts = not ends and (score == 0 or until_ < score)
    if starts or ends then
      moves, member[SCORE] = true, until_
      if starts and score == 0 then sums[AGENTS] = sums[AGENTS] + 1 end
      if ends and score ~= 0 then sums[AGENTS] = sums[AGENTS] - 1 end
      if starts then
        if sums[SWEEP] == 0 or until_ < sums[SWEEP] then sums[SWEEP] = until_ end
        call('ZADD', KEYS[2], until_, id)
      else
        rare = rare or departures(sums, members)
        rare.depart(id)
        rare.forgetDeparted()
      end
    end
    local expires = sums[EXPIRES]
    if to then
      expires = to + ${PERIOD_KEPT}
    elseif keepFor then
      expires = math.max(expires, math.min(8640000000000000, math.ceil(now + math.max(keepFor, lease))))
    end
    if expires ~= sums[EXPIRES] then lasts, sums[EXPIRES] = true, expires end
  end

  reply[size + 1] = kind
  reply[size + 2] = isGone and sums[AGENTS] - 1 or sums[AGENTS]
  reply[size + 3] = member and member[INCARNATION] or 0
  reply[size + 4] = refused
  reply[size + 5] = (#sums - 8) / 3
  size = size + 5
  local place = 9
  for row = 8, #sums - 3, 3 do
    local settled, held, own = sums[row + SETTLED], sums[row + HELD], member and member[place + HOLDS] or 0
    -- The client does not read numbers of 16 digits exactly.
    if settled >= 1e15 or settled <= -1e15 then settled = string.format('%.0f', settled) end
    if held >= 1e15 or held <= -1e15 then held = string.format('%.0f', held) end
    if own >= 1e15 or own <= -1e15 then own = string.format('%.0f', own) end
    reply[size + 1], reply[size + 2], reply[size + 3], reply[size + 4] = sums[row + MEASURE], settled, held, own
    place, size = place + 4, size + 4
  end
end

if isTaken or (isWritten and not isNew) then write() end
if isTaken then
  local remaining = sums[EXPIRES] - now
  if lasts then call('PEXPIRE', KEYS[1], remaining) end
  if sums[EXPIRES] ~= 0 and (lasts or moves) then call('PEXPIRE', KEYS[2], remaining) end
  -- A freeze lasts until it is lifted.
  if lasts and KEYS[3] and not frozen then call('PEXPIRE', KEYS[3], remaining) end
end
return reply
`);
