/** @internal */
export const tables: readonly string[] = ['activity_counts']

/** The operator console. See `docs/console.md`. */
export interface ConsoleConfig {
  /** Default false. It enables the pages, too, where `pages.enabled` is not set. */
  enabled?: boolean | undefined
  /**
   * Roles of users who see the console and change nothing. Default `console_viewer`. Only operators
   * may assign such a role.
   */
  viewerRoles?: readonly string[] | undefined
}

export interface ConsoleSection {
  /** The operator console, below the mount. */
  console?: ConsoleConfig | undefined
}

export interface ResolvedConsoleSection {
  console: { enabled: boolean; viewerRoles: readonly string[] }
}

export const auditActions = {
  test_mail_sent: {
    number: 64,
    logType: 'team',
    recordedWhen: 'An operator sent a test mail in the console.',
  },
} as const
