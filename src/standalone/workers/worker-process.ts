import cluster from 'node:cluster'

/**
 * The variable by which a process is our worker, and not that of another cluster, such as PM2's.
 */
const variable = 'LATCHKEY_WORKER'

/** The variables that a worker starts with. */
export const workerVariables = { [variable]: '1' }

/** Reports whether this process is a worker of `latchkey serve --workers`. */
export const isWorkerProcess = (): boolean => cluster.isWorker && Boolean(process.env[variable])
