/** User names, which sign in beside email and phone. */
export interface UsernamesConfig {
  /** Sign-up, sign-in and changes accept user names. Default false. */
  enabled?: boolean | undefined
  /** Users can change their name. Default true. A user without a name can always choose one. */
  changeEnabled?: boolean | undefined
  /** Names, and all that look the same, that only operators can give. Default: `admin` and others. */
  reserved?: readonly string[] | undefined
}

export interface ResolvedUsernames {
  enabled: boolean
  changeEnabled: boolean
  reserved: readonly string[]
}
