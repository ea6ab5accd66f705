/** The restart and start order settings in deploy/rollcall.service. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { top } from '../run-command.ts'

const UNIT_TEXT = readFileSync(join(top, 'deploy', 'rollcall.service'), 'utf8')
const listValues = (key: string): readonly string[] =>
  UNIT_TEXT.split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .flatMap((line) => line.slice(key.length + 1).split(' '))

test('a temporary fault (75) is retried without limit, and a permanent fault (1, 2) is not retried', () => {
  expect(listValues('Restart')).toEqual(['always'])
  expect(listValues('RestartPreventExitStatus')).toEqual(['1', '2'])
  expect(listValues('SuccessExitStatus')).toEqual([])
  // By default, systemd stops retrying after five starts in ten seconds.
  expect(listValues('StartLimitIntervalSec')).toEqual(['0'])
})

test('a server that uses PostgreSQL on the same machine starts after PostgreSQL and stops before it', () => {
  expect(listValues('After')).toContain('postgresql.service')
  // If PostgreSQL is on another machine, there is no such unit.
  expect([...listValues('Requires'), ...listValues('BindsTo')]).not.toContain('postgresql.service')
})
