/** A proxy between a store and PostgreSQL that drops some responses to COMMIT. */
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'

export type LossyProxy = {
  /** Returns the database URL that leads through the proxy. */
  readonly buildProxyUrl: (url: string) => string
  /** From now on, drops one response to COMMIT in `oneIn`. */
  dropOneIn(oneIn: number): void
  /** Returns the number of dropped responses. */
  countDropped(): number
  close(): void
}

/** The port numbers in the names of PostgreSQL's and the proxy's socket files. */
const [POSTGRES_PORT, PROXY_PORT] = [5432, 5433]
const COMMITTED = Buffer.from('COMMIT\0')

/**
 * Starts a proxy for the server whose sockets are in the folder. When the proxy drops a response to COMMIT, it also
 * closes the connection.
 */
export async function startLossyProxy(folder: string): Promise<LossyProxy> {
  let commitCount = 0
  let droppedCount = 0
  let oneIn = Infinity
  const server = createServer((client) => {
    const postgres = createConnection(join(folder, `.s.PGSQL.${POSTGRES_PORT}`))
    const end = (): void => {
      client.destroy()
      postgres.destroy()
    }
    for (const socket of [client, postgres]) socket.on('error', end).on('close', end)
    client.on('data', (request) => postgres.write(request))
    postgres.on('data', (response) => {
      commitCount += response.includes(COMMITTED) ? 1 : 0
      if (!response.includes(COMMITTED) || commitCount % oneIn !== 0) {
        client.write(response)
        return
      }
      droppedCount += 1
      end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(join(folder, `.s.PGSQL.${PROXY_PORT}`), resolve)
  })
  return {
    buildProxyUrl: (url) => `${url}&port=${PROXY_PORT}`,
    dropOneIn: (count) => {
      oneIn = count
    },
    countDropped: () => droppedCount,
    close: () => server.close(),
  }
}
