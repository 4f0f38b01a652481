import { createTestAuth } from 'latchkey/testing'

const test = await createTestAuth({
  database: {
    url: 'postgres://postgres@127.0.0.1:5432/app_test',
    schema: `auth_${process.env.VITEST_POOL_ID}`,
  },
})

export {}
