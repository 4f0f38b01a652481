/**
 * Whether a value of `NODE_ENV` is `production`. Letter case and white space do not count: a protection of production
 * must not end with a typing error.
 */
export const isProductionEnv = (nodeEnv: string | undefined): boolean =>
  nodeEnv?.trim().toLowerCase() === 'production'
