/**
 * Two whole servers on one PostgreSQL behind a proxy, for some rounds: a version is changed at one of them, one is killed, every
 * connection is cut, the database dies. `npm run several` does ten times as much, behind nginx.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres, startPostgres } from '../server/store/postgres-server.ts'
import type { PostgresServer } from '../server/store/postgres-server.ts'
import { through } from './rounds.ts'

if (!hasPostgres) test('without a PostgreSQL on this machine no two servers share one', () => {})
else {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  test('nothing is lost, doubled, sent twice or oversold, and nobody registers by an old version', async () => {
    const { wrong, heard } = await through({
      happens: ['version', 'connections', 'database', 'second'],
      clients: 12,
      toldMin: 12,
      mailsMin: 10,
      postgres,
      name: 'short',
    })
    expect(wrong).toEqual([])
    expect([heard.refused.length > 0, heard.changed.length > 0]).toEqual([true, true])
  })
}
