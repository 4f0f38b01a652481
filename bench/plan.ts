/** How much is measured. */
export interface Plan {
  /** Of every figure, the median over so many rounds is told. */
  rounds: number
  /** How many have a session in the databases of the operations. */
  people: number
  /** Requests of one run, and before the first: of what hashes a password, and of what does not. */
  run: Volume
  warmUp: Volume
  /** Requests whose statements, trips and WAL bytes are counted. */
  wire: number
  wal: Volume
  growth: { sizes: number[]; run: number; warmUp: number }
  /** How many users operators have, calls of each kind in one run, and pages of the wire's list. */
  admin: { sizes: number[]; run: number; lists: number }
  /** Sign-ins while the host reads files, and how many of them at once. */
  host: { signIns: number; atOnce: number }
  /** New processes that import something, and that start a server. */
  imports: number
  starts: number
  /** Tokens verified in one go. */
  verifications: number
  /** Requests of a known and of an unknown user each. */
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
  wal: { hashing: 50, other: 2000 },
  growth: { sizes: [1000, 100_000, 1_000_000], run: 1500, warmUp: 3000 },
  admin: { sizes: [1000, 1_000_000], run: 300, lists: 9 },
  host: { signIns: 128, atOnce: 16 },
  imports: 21,
  starts: 5,
  verifications: 20_000,
  timing: 300,
}

/** Ends in two minutes, and knows less for sure. */
export const quickPlan: Plan = {
  rounds: 3,
  people: 2000,
  run: { hashing: 12, other: 400 },
  warmUp: { hashing: 4, other: 1200 },
  wire: 3,
  wal: { hashing: 4, other: 400 },
  growth: { sizes: [1000, 20_000], run: 400, warmUp: 800 },
  admin: { sizes: [1000, 10_000], run: 40, lists: 5 },
  host: { signIns: 20, atOnce: 16 },
  imports: 5,
  starts: 1,
  verifications: 2000,
  timing: 40,
}
