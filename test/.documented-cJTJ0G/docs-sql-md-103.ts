import { formatSql, loadSqlFormatterConfig, validateSqlFormatterConfig } from 'latchkey/sql'

const found = await loadSqlFormatterConfig(process.cwd()) // { path, config }, or null
const text = await formatSql('select 1', found?.config ?? { language: 'postgresql' })

const problems = await validateSqlFormatterConfig({ language: 'postgresql', tabWidth: 0 })
// [{ path: 'tabWidth', kind: 'schema', message: 'must be an integer greater than 0 (got 0)' }]

export {}
