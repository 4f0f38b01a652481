import cluster from 'node:cluster'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { answerQuestions } from '../kit/answer-questions.ts'
import { ask } from '../kit/child-process.ts'
import { databaseUrl, options } from '../targets/serve.ts'

// The floor with several processes on one port.

const [count] = options
const exec = fileURLToPath(new URL('server.js', import.meta.url))
cluster.setupPrimary({ exec, args: [databaseUrl] })
const workers = Array.from({ length: Number(count) }, () => cluster.fork())
await Promise.all(workers.map((worker) => once(worker, 'message')))
const [first] = workers
if (!first) throw new RangeError('no worker')
const url = await ask<string>(first, { id: 1, name: 'url', input: undefined })
answerQuestions({ url: () => url })
