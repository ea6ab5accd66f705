/** The store contract on the oldest supported PostgreSQL, if it is installed. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { definePostgresContract } from './postgres-contract.ts'
import { findOldestBinaries, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'

const programs = findOldestBinaries()
if (programs === null) test('skipped: PostgreSQL 15 is not installed', () => {})
else
  describe('PostgreSQL 15', () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres(programs)
    })
    afterAll(() => server.stop())

    test('is version 15', async () => {
      const shell = await server.shell()
      const { rows } = await shell.query<{ server_version: string }>('SHOW server_version')
      await shell.end()
      expect(rows[0]?.server_version).toMatch(/^15\./)
    })

    describe('the contract', () => {
      definePostgresContract(() => server)
    })
  })
