import type { ActionMail, LinkMail, NotificationMail } from '../../mails/mails.ts'
import type { Seconds } from './values.ts'

type PerMail<Kind extends string, Value> = { [kind in Kind]?: Value | undefined }

/** Whether links and codes may be sent in clear to a public host. */
export type SmtpTls = 'required' | 'opportunistic'

/** Where mail is handed in. All of `host`, `port` and `email.from` are needed. */
export interface SmtpConfig {
  host?: string | undefined
  port?: number | undefined
  /** TLS from the first byte, in place of `STARTTLS`. Default: true for port 465, else false. @see RFC 8314 §3 */
  implicitTls?: boolean | undefined
  /**
   * `required`: a host that is neither loopback nor private must speak TLS. `opportunistic`: mails are sent in clear where
   * it does not; with `user`, TLS is required all the same. Default `required`.
   */
  tls?: SmtpTls | undefined
  user?: string | undefined
  pass?: string | undefined
  /** Extra headers of every mail, by name. */
  headers?: Readonly<Record<string, readonly string[]>> | undefined
  /** Logs every attempt, by kind and domain. Default false. */
  loggingEnabled?: boolean | undefined
}

/** Who mails are from. */
export interface SenderConfig {
  address?: string | undefined
  /** Display name. Default: the address. */
  name?: string | undefined
}

/** A mail for a function of your own to send. */
export interface OutgoingMail {
  /** A UUID. The same when a mail is tried again: what mail services call the idempotency key. */
  id: string
  kind: ActionMail | NotificationMail
  /** As configured; null where it is not, so that the function decides. */
  from: { address: string | null; name: string | null }
  /** One plain address. */
  to: string
  /** One line. */
  subject: string
  html: string
  text: string
  createdAt: Date
}

/**
 * Sends a mail. Throwing means that it was not taken: it is tried again. May return the service's own
 * name for the mail.
 */
export type SendMail = (mail: OutgoingMail) => TakenMail | Promise<TakenMail>

// biome-ignore lint/suspicious/noConfusingVoidType: a function may end without a value
type TakenMail = void | { messageId?: string | undefined }

/** Sign-in and messages by email. */
export interface EmailConfig {
  /** Sign-up and sign-in by email. Default true. */
  enabled?: boolean | undefined
  /** Addresses count as confirmed at once. Default false. */
  autoconfirm?: boolean | undefined
  /** Sign-in by mailed link or code. Default true. */
  magicLinkEnabled?: boolean | undefined
  /** Only these addresses are mailed. Default: all. */
  authorizedAddresses?: readonly string[] | undefined
  /** Sign-in through a provider that has not verified the address, which is mailed all the same. Not with `autoconfirm`. Default false. */
  allowUnverifiedSignIns?: boolean | undefined
  /** A change of address is confirmed from the old one too. Default true. */
  secureChangeEnabled?: boolean | undefined
  /** Lifetime of mailed links and codes. Default 86400. */
  otpLifetimeSeconds?: Seconds | undefined
  /** Digits of mailed codes, 6 to 10. Default 6. */
  otpLength?: number | undefined
  /** `Acme <no-reply@example.com>`, or its two parts. */
  from?: string | SenderConfig | undefined
  /** `smtps://user:password@host:465`, or its parts. */
  smtp?: string | SmtpConfig | undefined
  /** Sends in place of a mail server. */
  send?: SendMail | undefined
  /** Least time between two mails to one address. Default 900 for confirmations, 60 for others. */
  maxFrequencySeconds?: Seconds | undefined
  /** Hosts that links may carry when `X-Forwarded-Host` names them. */
  externalHosts?: readonly string[] | undefined
  /** Checks of addresses before they are mailed, and of those that sign up. What cannot be checked now counts as good. */
  validation?:
    | {
        /** Refuses placeholders, and domains that take no mail. Default false. */
        extended?: boolean | undefined
        /** Asks a service whether an address is good. */
        serviceUrl?: string | undefined
        /** Headers of requests to it. */
        serviceHeaders?: Readonly<Record<string, readonly string[]>> | undefined
        /** Hosts, or addresses of hosts, that take mail of domains whose addresses are refused. */
        blockedMx?: readonly string[] | undefined
        /** Domains whose addresses are refused, with all below them: such as disposable ones. */
        blockedDomains?: readonly string[] | undefined
      }
    | undefined
  subjects?: PerMail<ActionMail | NotificationMail, string>
  /** URLs of templates, absolute or below `siteUrl`. Default: the built-in ones. */
  templates?: PerMail<ActionMail | NotificationMail, string>
  /**
   * Where links lead: a path on `externalUrl`, or a URL. Default `/verify`, below `basePath`; of magic links, that of
   * `recovery`.
   */
  urlPaths?: PerMail<LinkMail, string>
  /** Which changes are told. Default: none. */
  notifications?: PerMail<NotificationMail, boolean>
  /** How templates are fetched and kept. */
  templateFetch?:
    | {
        /** Default 1000000. */
        maxSizeBytes?: number | undefined
        /** Default 600. */
        maxAgeSeconds?: Seconds | undefined
        /** Pause after a failed fetch. Default 10. */
        retryIntervalSeconds?: Seconds | undefined
        /** Default false: fetched when a mail needs it. */
        reloadingEnabled?: boolean | undefined
        /** Default 1200. */
        reloadingMaxIdleSeconds?: Seconds | undefined
      }
    | undefined
}

export interface ResolvedEmail {
  enabled: boolean
  autoconfirm: boolean
  magicLinkEnabled: boolean
  authorizedAddresses: readonly string[]
  allowUnverifiedSignIns: boolean
  secureChangeEnabled: boolean
  otpLifetimeSeconds: number
  otpLength: number
  from: { address: string | null; name: string | null }
  smtp: {
    host: string | null
    port: number | null
    /** Null: for port 465. */
    implicitTls: boolean | null
    tls: SmtpTls
    user: string | null
    pass: string | null
    headers: Readonly<Record<string, readonly string[]>>
    loggingEnabled: boolean
  }
  send: SendMail | null
  /** Null: 900 for confirmations, 60 for others. */
  maxFrequencySeconds: number | null
  externalHosts: readonly string[]
  validation: {
    extended: boolean
    serviceUrl: string | null
    serviceHeaders: Readonly<Record<string, readonly string[]>>
    blockedMx: readonly string[]
    blockedDomains: readonly string[]
  }
  subjects: Record<ActionMail | NotificationMail, string>
  templates: Record<ActionMail | NotificationMail, string | null>
  urlPaths: Record<LinkMail, string>
  notifications: Record<NotificationMail, boolean>
  templateFetch: {
    maxSizeBytes: number
    maxAgeSeconds: number
    retryIntervalSeconds: number
    reloadingEnabled: boolean
    reloadingMaxIdleSeconds: number
  }
}
