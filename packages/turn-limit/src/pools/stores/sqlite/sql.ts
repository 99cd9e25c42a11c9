/** The statements of a store, by what they do. */
export const SQL = {
  find: `SELECT p.until, p.expires, p.head, p.data, h.head AS poolHead, m.until AS leaseEnd, m.data AS entry
    FROM (SELECT 1)
    LEFT JOIN entries p ON p.pool = ?1 AND p.member = ''
    LEFT JOIN heads h ON h.pool = ?2
    LEFT JOIN entries m ON m.pool = ?1 AND m.member = ?3 AND m.member > ''`,
  members: "SELECT * FROM entries WHERE pool = ? AND member > ''",
  silent: "SELECT * FROM entries WHERE pool = ? AND member > '' AND until > 0 AND until <= ? ORDER BY member",
  nextEnd: "SELECT min(until) AS until FROM entries WHERE pool = ? AND member > '' AND until > 0",
  pools: "SELECT pool, expires FROM entries WHERE member = ''",
  runs: "SELECT pool FROM entries WHERE pool >= ? AND pool < ? AND member = '' AND expires > ?",
  saveMember: "UPDATE entries SET until = ?, departed = ?, data = ? WHERE pool = ? AND member = ?",
  addMember: "INSERT INTO entries (until, departed, data, pool, member) VALUES (?, ?, ?, ?, ?)",
  version: "PRAGMA data_version",
  saveFound: "UPDATE entries SET until = ?, data = ? WHERE pool = ? AND member = ?",
  countSilent: `SELECT count(*) AS count FROM
    (SELECT 1 FROM entries WHERE pool = ? AND member > '' AND until > 0 AND until <= ? LIMIT ?)`,
  forgetSilent:
    "DELETE FROM entries WHERE pool = ? AND member > '' AND until > 0 AND until <= ? AND member < ?",
  countDeparted: "SELECT count(*) AS count FROM entries WHERE pool = ? AND departed IS NOT NULL",
  forgetDeparted: `DELETE FROM entries WHERE pool = ?1 AND member IN
    (SELECT member FROM entries WHERE pool = ?1 AND departed IS NOT NULL ORDER BY departed LIMIT ?2)`,
  addAccount: "INSERT INTO entries (pool, member, until, expires, head, data) VALUES (?, '', ?, ?, ?, ?)",
  saveAccount: "UPDATE entries SET until = ?, expires = ?, data = ? WHERE pool = ? AND member = ''",
  saveState: "UPDATE entries SET head = ? WHERE pool = ? AND member = ''",
  saveHead: "INSERT INTO heads VALUES (?, ?) ON CONFLICT DO UPDATE SET head = excluded.head",
  extension: "SELECT 1 FROM extensions WHERE pool = ? AND key = ?",
  saveExtension: "INSERT OR IGNORE INTO extensions VALUES (?, ?)",
  saveGrant: "INSERT INTO grants (data) VALUES (?)",
  forgetGrants: "DELETE FROM grants WHERE id <= ?",
  grants: "SELECT data FROM grants ORDER BY id",
  saveRun: "INSERT OR IGNORE INTO past_runs (agent, run, data) VALUES (?, ?, ?)",
  forgetRuns: `DELETE FROM past_runs WHERE agent = ?1 AND place <=
    (SELECT place FROM past_runs WHERE agent = ?1 ORDER BY place DESC LIMIT 1 OFFSET ?2)`,
  pastRuns: "SELECT data FROM past_runs WHERE agent = ? ORDER BY place",
  forget: "DELETE FROM entries WHERE pool = ?",
  forgetExtensions: "DELETE FROM extensions WHERE pool = ?",
  forgetHead: "DELETE FROM heads WHERE pool = ?",
  expired: "SELECT pool, doomed FROM entries WHERE expires <= ?",
  doom: "UPDATE entries SET doomed = ? WHERE pool = ? AND member = ''",
  spare: "UPDATE entries SET doomed = NULL WHERE doomed IS NOT NULL AND expires > ?",
};
