/** The blockchains whose wallets are supported. */
export const chains = ['solana', 'ethereum'] as const

export type Chain = (typeof chains)[number]

/** The names of chains in messages. */
export const chainLabels = { solana: 'Solana', ethereum: 'Ethereum' } as const satisfies Record<
  Chain,
  string
>

export const isChain = (text: string): text is Chain => Object.hasOwn(chainLabels, text)
