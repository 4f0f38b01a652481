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
  user_exported: {
    number: 60,
    logType: 'user',
    recordedWhen: 'An operator exported the data of a user in the console.',
  },
  signing_key_rotated: {
    number: 61,
    logType: 'token',
    recordedWhen: 'An operator published a new signing key in the console.',
  },
  message_retried: {
    number: 62,
    logType: 'team',
    recordedWhen: 'An operator retried a message of the outbox in the console.',
  },
  message_discarded: {
    number: 63,
    logType: 'team',
    recordedWhen: 'An operator discarded a message of the outbox in the console.',
  },
  test_mail_sent: {
    number: 64,
    logType: 'team',
    recordedWhen: 'An operator sent a test mail in the console.',
  },
} as const
