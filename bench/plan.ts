/** The size of the measurements. */
export interface Plan {
  /** The number of rounds. Each figure is the median over them. */
  rounds: number
  /** The number of users with a session in the databases of the operations. */
  people: number
  /** Requests of one run, and before the first: with a password hash, and without. */
  run: Volume
  warmUp: Volume
  /** Requests whose statements, trips and WAL bytes are counted. */
  wire: number
  wal: Volume
  /**
   * Codes by mail whose WAL is counted. At most as many as their server sends itself: further ones
   * are left to the other process of this database, which has no mail server.
   */
  mails: number
  growth: { sizes: number[]; run: number; warmUp: number }
  /**
   * The numbers of users for operators, calls of each kind in one run, and pages of the wire's
   * list.
   */
  admin: { sizes: number[]; run: number; lists: number }
  /** Sign-ins while the host reads files, and how many of them are concurrent. */
  host: { signIns: number; atOnce: number }
  /** New processes that import a package, and that start a server. */
  imports: number
  starts: number
  /** Tokens verified in one run. */
  verifications: number
  /** Requests for a known and for an unknown user each. */
  timing: number
}

export interface Volume {
  hashing: number
  other: number
}

export const fullPlan: Plan = {
  rounds: 5,
  people: 20_000,
  run: { hashing: 100, other: 3000 },
  warmUp: { hashing: 20, other: 6000 },
  wire: 20,
  wal: { hashing: 400, other: 2000 },
  mails: 50,
  growth: { sizes: [1000, 100_000, 1_000_000], run: 1500, warmUp: 3000 },
  admin: { sizes: [1000, 1_000_000], run: 300, lists: 9 },
  host: { signIns: 128, atOnce: 16 },
  imports: 21,
  starts: 5,
  verifications: 20_000,
  timing: 300,
}

/** Takes two minutes, with less certainty. */
export const quickPlan: Plan = {
  rounds: 3,
  people: 2000,
  run: { hashing: 12, other: 400 },
  warmUp: { hashing: 4, other: 1200 },
  wire: 3,
  wal: { hashing: 4, other: 400 },
  mails: 4,
  growth: { sizes: [1000, 20_000], run: 400, warmUp: 800 },
  admin: { sizes: [1000, 10_000], run: 40, lists: 5 },
  host: { signIns: 20, atOnce: 16 },
  imports: 5,
  starts: 1,
  verifications: 2000,
  timing: 40,
}
