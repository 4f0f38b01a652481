/** One part of the documentation, as the site and llms.txt list it. */
export interface Section {
  title: string
  /** Names of files in docs/ without `.md`, in reading order, each with its short name in the sidebar. */
  pages: Readonly<Record<string, string>>
}

/** All pages of the documentation. A page may be listed before it exists. */
export const sections: readonly Section[] = [
  {
    title: 'Start',
    pages: {
      start: 'Start',
      concepts: 'Concepts',
      development: 'Development',
      testing: 'Testing',
    },
  },
  {
    title: 'Flows',
    pages: {
      flows: 'All flows, with pictures',
      pages: 'Sign-in and account pages',
      components: 'Components for front ends',
      passwords: 'Passwords',
      usernames: 'User names',
      providers: 'External providers',
      'provider-tokens': 'Tokens of providers',
      factors: 'Second factors',
      passkeys: 'Passkeys',
      anonymous: 'Anonymous users',
      wallets: 'Wallets',
      redirects: 'Redirects',
      links: 'Links in mails',
      'oauth-server': 'OAuth server',
      mcp: 'MCP servers',
    },
  },
  {
    title: 'Hosts',
    pages: {
      hosts: 'Hosts',
      cookies: 'Sessions in cookies',
      clients: 'Clients',
      serverless: 'Serverless',
      verify: 'Verify tokens elsewhere',
      'row-level-security': 'Row-level security',
      'mikro-orm': 'MikroORM',
      hooks: 'Hooks',
    },
  },
  {
    title: 'Reference',
    pages: {
      api: 'Methods in code',
      configuration: 'Configuration',
      endpoints: 'Endpoints',
      errors: 'Errors',
      commands: 'Commands',
      'page-texts': 'Texts of the pages',
    },
  },
  {
    title: 'Operating',
    pages: {
      operations: 'Operations',
      security: 'Security',
      scale: 'Several processes',
      limits: 'Limits',
      captcha: 'Captchas',
      users: 'Users, for operators',
      audit: 'Audit log',
      mail: 'Mail',
      sms: 'SMS',
      console: 'Operator console',
      outbox: 'Outbox',
      telemetry: 'Traces and metrics',
      sql: 'SQL files',
      'subscribe-pages': 'Subscription pages',
      support: 'Versions and support',
      architecture: 'Architecture',
    },
  },
  {
    title: 'Moving',
    pages: {
      'moving-in': 'From GoTrue or Supabase',
      'moving-from-better-auth': 'From Better Auth',
      'moving-from-auth-js': 'From Auth.js',
      import: 'Users from a file',
    },
  },
]
