import type { MailVariables } from '../../mails/mail-definition.ts'
import type { ActionMail, LinkMail, NotificationMail } from '../../mails/mails.ts'
import type { Seconds } from './values.ts'

type PerMail<Kind extends string, Value> = { [kind in Kind]?: Value | undefined }

/** Whether links and codes may be sent unencrypted to a public host. */
export type SmtpTls = 'required' | 'opportunistic'

/** The mail server. Requires `host`, `port` and `email.from`. */
export interface SmtpConfig {
  host?: string | undefined
  port?: number | undefined
  /**
   * TLS from the first byte, in place of `STARTTLS`. Default: true for port 465, else false. @see
   * RFC 8314 §3
   */
  implicitTls?: boolean | undefined
  /**
   * `required`: a host that is neither loopback nor private must support TLS. `opportunistic`:
   * mails are sent unencrypted if it does not; with `user`, TLS is still required. Default
   * `required`.
   */
  tls?: SmtpTls | undefined
  user?: string | undefined
  pass?: string | undefined
  /** Extra headers of every mail, by name. */
  headers?: Readonly<Record<string, readonly string[]>> | undefined
  /** Logs every attempt, by kind and domain. Default false. */
  loggingEnabled?: boolean | undefined
}

/** The sender of mails. */
export interface SenderConfig {
  address?: string | undefined
  /** Display name. Default: the address. */
  name?: string | undefined
}

/** A mail for the application's own function to send. */
export interface OutgoingMail {
  /** A UUID, the same at each attempt: mail services call it the idempotency key. */
  id: string
  kind: ActionMail | NotificationMail
  /** The configured sender; null parts are the function's decision. */
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
 * Sends a mail. An exception means that it was not accepted, and it is retried. May return the
 * service's id of the mail.
 */
export type SendMail = (mail: OutgoingMail) => TakenMail | Promise<TakenMail>

// biome-ignore lint/suspicious/noConfusingVoidType: a function may end without a value
type TakenMail = void | { messageId?: string | undefined }

/** The content of a mail. */
export interface MailContent {
  /** One line. */
  subject: string
  html: string
  text: string
}

/** Texts for the layout of the built-in mails. They are plain texts, which the layout escapes. */
export interface LayoutTexts {
  /** Default: the heading. */
  subject?: string | undefined
  heading: string
  message: string
  /** The label of the button. Without it, the mail shows the code only. */
  button?: string | undefined
  /** The last paragraph. */
  closing: string
  /** Before the code, in a mail with a button. Default: the phrase of the built-in mails. */
  orEnterCode?: string | undefined
  /** Before the code, in the plain text of a mail without a button. Default: the same. */
  enterCode?: string | undefined
  /** Before the full link. Default: the same. */
  orOpenLink?: string | undefined
  /** The last line: recipient and site. Default: the same. */
  sentTo?: string | undefined
}

/** A mail for the application's own function to render. */
export interface TemplateMail {
  kind: ActionMail | NotificationMail
  /** One plain address. */
  to: string
  /** The recipient's first language with a template or a built-in mail, such as `de`; else `en`. */
  language: string
  /** Tags of BCP 47, the most preferred first; empty if none are known. */
  languages: readonly string[]
  /** The variables of templates. Users choose the content of `Data`: see `escapeHtml`. */
  variables: Readonly<MailVariables>
  /** The sender's name, else that of the pages, else the host of the site. */
  siteName: string
  /** The built-in mail, in this language if it exists in it, else in English. */
  builtIn: MailContent
  /** Renders texts in the layout of the built-in mails, with the link and the code of this mail. */
  layout(texts: LayoutTexts): MailContent
  /** Escapes a value for HTML, between tags or in a quoted attribute. */
  escapeHtml(text: string): string
}

/** The content that a function returns. `text` is generated from `html` by default. */
export type TemplateResult = Omit<MailContent, 'text'> & { text?: string | undefined }

/**
 * Renders a mail. If it throws, returns no content, or takes longer than 5 seconds, the built-in
 * mail is sent.
 */
export type MailTemplate = (mail: TemplateMail) => TemplateResult | Promise<TemplateResult>

/**
 * A template: a URL, a path on the site (`/invite.html`), a file (`./mails/invite.html`, from the
 * working folder, or a URL of `file:`), or a function.
 */
export type MailBody = string | MailTemplate

/** A template, or one per language. */
export type ResolvedMailTemplate =
  | string
  | MailTemplate
  | Readonly<Record<string, string | MailTemplate>>

/** Sign-in and messages by email. */
export interface EmailConfig {
  /** Sign-up and sign-in by email. Default true. */
  enabled?: boolean | undefined
  /** Addresses are confirmed without a message. Default false. */
  autoconfirm?: boolean | undefined
  /** Sign-in by mailed link or code. Default true. */
  magicLinkEnabled?: boolean | undefined
  /** Only these addresses receive mails. Default: all. */
  authorizedAddresses?: readonly string[] | undefined
  /**
   * Sign-in through a provider that has not verified the address, which still receives a
   * confirmation mail. Not with `autoconfirm`. Default false.
   */
  allowUnverifiedSignIns?: boolean | undefined
  /** A change of address is confirmed by the old one, too. Default true. */
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
  /** The send interval of one address. Default 900 for confirmations, 60 for others. */
  maxFrequencySeconds?: Seconds | undefined
  /** Hosts that links may contain if `X-Forwarded-Host` names them. */
  externalHosts?: readonly string[] | undefined
  /**
   * Checks of addresses before they receive mail, and at sign-up. An address that cannot be checked
   * is accepted.
   */
  validation?:
    | {
        /** Rejects placeholders, and domains that accept no mail. Default false. */
        extended?: boolean | undefined
        /** A service that validates addresses. */
        serviceUrl?: string | undefined
        /** Headers of requests to the service. */
        serviceHeaders?: Readonly<Record<string, readonly string[]>> | undefined
        /** Hosts or addresses of mail servers; domains that use them are rejected. */
        blockedMx?: readonly string[] | undefined
        /**
         * Domains whose addresses are rejected, with their subdomains: for example disposable ones.
         */
        blockedDomains?: readonly string[] | undefined
      }
    | undefined
  subjects?: PerMail<ActionMail | NotificationMail, string>
  /**
   * Templates, or one per language, such as `{ de: './mails/invite.de.html' }`. A language without
   * a template has the built-in mail. Default: the built-in ones.
   */
  templates?: PerMail<ActionMail | NotificationMail, MailBody | Readonly<Record<string, MailBody>>>
  /**
   * The target of links: a path on `externalUrl`, or a URL. Default `/verify`, below `basePath`;
   * for magic links, the path of `recovery`.
   */
  urlPaths?: PerMail<LinkMail, string>
  /** The changes that are notified. Default: none. */
  notifications?: PerMail<NotificationMail, boolean>
  /** How templates are fetched and cached. */
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
  templates: Record<ActionMail | NotificationMail, ResolvedMailTemplate | null>
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
