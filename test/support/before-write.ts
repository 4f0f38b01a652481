import type { AuthContext } from '../../src/accounts/auth-context.ts'

/** Returns the context of a call that runs something once, right before its first change of a user. */
export function beforeWrite(ctx: AuthContext, run: () => Promise<unknown>): AuthContext {
  let hasRun = false
  const once = async () => {
    if (hasRun) return
    hasRun = true
    await run()
  }
  return {
    ...ctx,
    sql: {
      table: ctx.sql.table,
      query: async (one, values) => {
        if (one.name === 'save_user') await once()
        return ctx.sql.query(one, values)
      },
    },
    transaction: async (work) => {
      await once()
      return ctx.transaction(work)
    },
  }
}
