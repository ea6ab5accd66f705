/**
 * Prepares every statement on the oldest supported PostgreSQL version, if it is installed. `npm run thorough` also runs
 * the contract on it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerThorough } from '../../runs.ts'
import { definePostgresContract, getTemplate } from './postgres-contract.ts'
import { findOldestBinaries, startPostgres } from './postgres-server.ts'
import type { PostgresServer } from './postgres-server.ts'
import { listPostgresStatements } from './queries-of-lists.ts'

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

    test('prepares every statement', async () => {
      const url = await server.database('statements', { template: await getTemplate(server) })
      const shell = await server.shell(url)
      const statements = listPostgresStatements()
      expect(statements.length).toBeGreaterThan(400)
      for (const text of statements) {
        await shell.query(`PREPARE statement AS ${text}`)
        await shell.query('DEALLOCATE statement')
      }
      await shell.end()
    })

    registerThorough(() => {
      describe('the contract', () => {
        definePostgresContract(() => server)
      })
    })
  })
