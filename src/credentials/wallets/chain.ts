/** What wallets are of. */
export const chains = ['solana', 'ethereum'] as const

export type Chain = (typeof chains)[number]

/** Chains, as messages spell them. */
export const chainLabels = { solana: 'Solana', ethereum: 'Ethereum' } as const satisfies Record<
  Chain,
  string
>

export const isChain = (text: string): text is Chain => Object.hasOwn(chainLabels, text)
