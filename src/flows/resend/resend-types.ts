export const resendTypes = ['signup', 'email_change', 'sms', 'phone_change'] as const

/** What is to be sent again. */
export type ResendType = (typeof resendTypes)[number]
