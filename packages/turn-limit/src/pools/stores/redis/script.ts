import { createHash } from "node:crypto";
import { REMEMBERED_MEMBERS } from "../../ledger/rules.ts";

/** A script that runs on the server, as a whole or not at all. */
export interface Script {
  text: string;
  /** What the server calls it, once it knows it. */
  sha: string;
}

export function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** The version of the records. Those of another version are not touched. */
export const VERSION = "3";

/** How scripts report what is no error of the server. */
export const OTHER_VERSION = "TLVERSION";

/**
 * What all scripts share: places, and the time. `KEYS` are the record, the leases of its members, and for a pool with periods what holds in all
 * of them. Without periods that is in the record.
 *
 * The record is a hash: `version`, `sums`, `state` (what was changed, as JSON), `extra` (what of that decides a request),
 * one `m:<id>` for each member and one `k:<key>` for each extension. What holds in every period is `head`, as JSON, and
 * of that `limits` and `frozen`, which decide requests.
 *
 * Sums and members are packed one value after the other, for that is read and written fastest. They begin with 8 and 9
 * values, whose places have the names below. Then the sums have a row of 3 for each measure, and a member has a row of 4 for
 * each, in the order of the sums: measures are only ever added, at the end.
 *
 * A member is followed by one text, and by the end of its lease, if its last requests changed nothing that the text does not
 * say: its turn, and of each measure what it used since, what it has told and what it holds. See `TAKE_KNOWN`.
 *
 * The leases are a sorted set. Members that take part have a time before which their lease does not end: a lease that is
 * renewed is not moved at once, but when that time has come. Those that departed have a number below 0, which grows.
 */
export const CLOCK = `
local AGENTS, SWEEP, EXPIRES, BORN, FORGOTTEN, GONE, JOINED, DEPARTED = 1, 2, 3, 4, 5, 6, 7, 8
local TURN, UNTIL, SCORE, INCARNATION, KIND, PLACE, NAME, REFUSED, RUN = 1, 2, 3, 4, 5, 6, 7, 8, 9
local MEASURE, SETTLED, HELD = 1, 2, 3
local USED, TOLD, HOLDS, PAID = 1, 2, 3, 4
local call, pack, unpacked = redis.call, cmsgpack.pack, cmsgpack.unpack

local now = given
if not now then
  local time = call('TIME')
  now = time[1] * 1000 + (time[2] - time[2] % 1000) / 1000
end
`;

/** What those share that read records. */
export const RECORD = `${CLOCK}
local function sumsOf(version, packed)
  if version and version ~= '${VERSION}' then
    return nil, redis.error_reply('${OTHER_VERSION} ' .. version)
  end
  local sums = packed and { unpacked(packed) }
  -- Without its sums a record is none: its pool starts over.
  if version and (not sums or (sums[EXPIRES] ~= 0 and sums[EXPIRES] <= now)) then
    call('DEL', KEYS[1], KEYS[2])
    sums = nil
  end
  return sums
end

local function memberOf(packed)
  local member = { unpacked(packed) }
  local size = #member
  if size % 4 == 1 then return member end
  local text = member[size - 1]
  member[UNTIL], member[KIND], member[REFUSED] = member[size], 1, ''
  member[size - 1], member[size] = nil, nil
  local numbers = string.gmatch(text, '%S+')
  member[TURN] = tonumber(numbers())
  local at = 9
  for used in numbers do
    member[at + USED], member[at + TOLD] = (member[at + USED] or 0) + tonumber(used), tonumber(numbers())
    member[at + HOLDS], member[at + PAID] = tonumber(numbers()), 0
    at = at + 4
  end
  return member
end
`;

/** What the scripts share that read, or change, amounts of members one by one. */
export const AMOUNTS = `
-- The client does not read numbers of 16 digits exactly.
local function exact(amount)
  return amount < 1e15 and amount > -1e15 and amount or string.format('%.0f', amount)
end

-- Names and numbers in turn: of the sums, or of a member with the names that the sums have.
local function listed(sums, of, head, width, column)
  local list, row = {}, 8
  for at = head, #of - width, width do
    local amount = of[at + column]
    if amount ~= 0 then
      list[#list + 1] = sums[row + MEASURE]
      list[#list + 1] = exact(amount)
    end
    row = row + 3
  end
  return list
end

local function lapse(sums, member)
  local row = 8
  for at = 9, #member - 4, 4 do
    local held = member[at + HOLDS]
    sums[row + HELD], sums[row + SETTLED] = sums[row + HELD] - held, sums[row + SETTLED] + held
    member[at + USED], member[at + PAID], member[at + HOLDS] = member[at + USED] + held, member[at + PAID] + held, 0
    row = row + 3
  end
end
`;

// Those of a command that a user may not run.
const COMMANDS = [
  "'DEL', KEYS[2]",
  "'HDEL', KEYS[1], 'f'",
  "'HEXISTS', KEYS[1], 'f'",
  "'HGET', KEYS[1], 'f'",
  "'HGETALL', KEYS[1]",
  "'HSET', KEYS[1], 'f', 'v'",
  "'PERSIST', KEYS[1]",
  "'PEXPIRE', KEYS[1], 1",
  "'ZADD', KEYS[2], 0, 'm'",
  "'ZCARD', KEYS[2]",
  "'ZCOUNT', KEYS[2], 0, 0",
  "'ZRANGE', KEYS[2], 0, 0",
  "'ZRANGEBYSCORE', KEYS[2], 0, 0",
  "'ZREM', KEYS[2], 'm'",
];

const GRANT_COMMANDS = ["'RPUSH', KEYS[4], 'v'", "'LTRIM', KEYS[4], 0, 0", "'PEXPIRE', KEYS[4], 1"];

/** Scripts that write find out first whether they may do all that they do: a half of it would be wrong. Since Redis 7.0. */
export const ALLOWED = allowed(COMMANDS);

/** The same for a script that also keeps what a person decided, under its last key. */
export const ALLOWED_WITH_GRANTS = allowed([...COMMANDS, ...GRANT_COMMANDS]);

function allowed(commands: readonly string[]): string {
  return `
local function notAllowed()
  if not redis.acl_check_cmd then return nil end
  for _, command in ipairs({ ${commands.map((command) => `{ ${command} }`).join(", ")} }) do
    if not redis.acl_check_cmd(unpack(command)) then
      return redis.error_reply('NOPERM this user has no permission to run ' .. command[1] .. ' on the keys of the store')
    end
  end
end
`;
}

/**
 * How leases end, and how those are forgotten of whom only the sum is kept: `departures(sums, members)`. `members`: those
 * that the script has read already, by their ids, with `false` for one that is not there. What it makes is made only when it
 * is needed: most requests end no lease.
 */
export const DEPARTURES = `
local function departures(sums, members)
  ${AMOUNTS}
  local function entryOf(id)
    local member = members[id]
    if member ~= nil then return member end
    local packed = call('HGET', KEYS[1], 'm:' .. id)
    return packed and memberOf(packed)
  end

  local function save(id, member)
    call('HSET', KEYS[1], 'm:' .. id, pack(unpack(member)))
  end

  local function depart(id)
    sums[DEPARTED] = sums[DEPARTED] + 1
    call('ZADD', KEYS[2], sums[DEPARTED] - 9e15, id)
  end

  local function forget(ids, from, to)
    for first = from, to, 1000 do
      local last = math.min(first + 999, to)
      local fields = {}
      for i = first, last do
        fields[#fields + 1] = 'm:' .. ids[i]
        if members[ids[i]] then members[ids[i]] = false end
      end
      call('HDEL', KEYS[1], unpack(fields))
      call('ZREM', KEYS[2], unpack(ids, first, last))
    end
    sums[GONE], sums[FORGOTTEN] = sums[GONE] + to - from + 1, now
  end

  local function forgetDeparted()
    local tooMany = call('ZCOUNT', KEYS[2], '-inf', '(0') - ${REMEMBERED_MEMBERS}
    if tooMany > 0 then forget(call('ZRANGE', KEYS[2], 0, tooMany - 1), 1, tooMany) end
  end

  -- The leases, or members, may have been removed from the server by others. The leases are made anew from the members that
  -- there are. What the others held counts as used.
  local function repair()
    call('DEL', KEYS[2])
    local held = {}
    sums[AGENTS], sums[SWEEP] = 0, 0
    local fields = call('HGETALL', KEYS[1])
    for i = 1, #fields, 2 do
      if string.sub(fields[i], 1, 2) == 'm:' then
        local id = string.sub(fields[i], 3)
        local member = entryOf(id)
        if member[UNTIL] == 0 then
          depart(id)
        else
          local row = 8
          for at = 9, #member - 4, 4 do
            held[row] = (held[row] or 0) + member[at + HOLDS]
            row = row + 3
          end
          member[SCORE] = member[UNTIL]
          save(id, member)
          call('ZADD', KEYS[2], member[UNTIL], id)
          sums[AGENTS] = sums[AGENTS] + 1
          if sums[SWEEP] == 0 or member[UNTIL] < sums[SWEEP] then sums[SWEEP] = member[UNTIL] end
        end
      end
    end
    for row = 8, #sums - 3, 3 do
      local missing = sums[row + HELD] - (held[row] or 0)
      sums[row + HELD], sums[row + SETTLED] = sums[row + HELD] - missing, sums[row + SETTLED] + missing
    end
    if sums[EXPIRES] ~= 0 then call('PEXPIRE', KEYS[2], sums[EXPIRES] - now) end
  end

  local function isBroken()
    local leases = call('ZCOUNT', KEYS[2], 0, '+inf')
    return leases ~= sums[AGENTS] or (sums[AGENTS] + sums[DEPARTED] == 0 and call('ZCARD', KEYS[2]) > 0)
  end

  -- Members whose lease is over: what they held counts as used. Of many, only the last are written: the others are forgotten
  -- with it. Was anything changed?
  local function sweep()
    local isChanged = isBroken()
    if isChanged then repair() end
    if sums[SWEEP] == 0 or sums[SWEEP] > now then return isChanged end
    local over = {}
    for _, id in ipairs(call('ZRANGEBYSCORE', KEYS[2], 0, now)) do
      local member = entryOf(id)
      if not member then
        repair()
        return sweep() or true
      end
      if member[UNTIL] <= now then
        over[#over + 1] = id
      else
        member[SCORE] = member[UNTIL]
        save(id, member)
        call('ZADD', KEYS[2], member[UNTIL], id)
      end
    end
    local forgotten = math.max(0, #over - ${REMEMBERED_MEMBERS})
    for i, id in ipairs(over) do
      local member = entryOf(id)
      lapse(sums, member)
      sums[AGENTS] = sums[AGENTS] - 1
      if i > forgotten then
        member[UNTIL], member[SCORE] = 0, 0
        save(id, member)
        depart(id)
      end
    end
    if forgotten > 0 then forget(over, 1, forgotten) end
    forgetDeparted()
    sums[SWEEP] = tonumber(call('ZRANGEBYSCORE', KEYS[2], 0, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2] or 0)
    return true
  end

  return { sweep = sweep, depart = depart, forgetDeparted = forgetDeparted, lapse = lapse, entryOf = entryOf }
end
`;
