/** Stands between a store and PostgreSQL, and loses some of the answers by which one is told that a transaction is committed. */
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'

export type Cutting = {
  /** The address of a database through it. */
  readonly through: (url: string) => string
  /** Loses one answer in so many from now on. */
  lose(oneIn: number): void
  /** How many answers were lost. */
  lost(): number
  close(): void
}

/** The port in whose name PostgreSQL listens in a folder, and the one in whose name this does. */
const [THEIRS, OURS] = [5432, 5433]
const COMMITTED = Buffer.from('COMMIT\0')

/** Loses answers of the server whose sockets are in the folder, each with its connection. */
export async function cutCommits(folder: string): Promise<Cutting> {
  let commits = 0
  let lost = 0
  let oneIn = Infinity
  const server = createServer((client) => {
    const postgres = createConnection(join(folder, `.s.PGSQL.${THEIRS}`))
    const end = (): void => {
      client.destroy()
      postgres.destroy()
    }
    for (const socket of [client, postgres]) socket.on('error', end).on('close', end)
    client.on('data', (asked) => postgres.write(asked))
    postgres.on('data', (answer) => {
      commits += answer.includes(COMMITTED) ? 1 : 0
      if (!answer.includes(COMMITTED) || commits % oneIn !== 0) {
        client.write(answer)
        return
      }
      lost += 1
      end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(join(folder, `.s.PGSQL.${OURS}`), resolve)
  })
  return {
    through: (direct) => `${direct}&port=${OURS}`,
    lose: (so) => {
      oneIn = so
    },
    lost: () => lost,
    close: () => server.close(),
  }
}
