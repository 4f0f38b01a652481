/**
 * Reports whether a value of `NODE_ENV` is `production`. Letter case and white space are ignored,
 * so that a typing error does not disable a protection.
 */
export const isProductionEnv = (nodeEnv: string | undefined): boolean =>
  nodeEnv?.trim().toLowerCase() === 'production'
