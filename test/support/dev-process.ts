import { type CliOptions, type CliProcess, spawnCli } from './cli-process.ts'

/** `latchkey dev` as a process of its own, listening. */
export interface DevProcess extends CliProcess {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  url: string
  /** The mailbox URL with its token; empty where all messages are sent. */
  mailboxUrl: string
}

/**
 * Starts it, and waits for its start messages. A free port avoids other services of the machine.
 */
export async function startDev({ env, ...options }: CliOptions = {}): Promise<DevProcess> {
  const running = spawnCli(['dev'], { ...options, env: { PORT: '0', ...env } })
  await running.printed(/Stop with Ctrl/)
  const [, url = ''] = /Latchkey is running at (\S+)/.exec(running.output()) ?? []
  const [mailboxUrl = ''] = /http:\S+\/_latchkey\/mail\?token=\w+/.exec(running.output()) ?? []
  return { ...running, url, mailboxUrl }
}
