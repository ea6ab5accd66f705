/** Repeated access is logged once an hour, and later pages of a list do not wait for the log. */
import { expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { skipRepeatedViews } from '../../../server/storage/staff/audit-log-entries.ts'
import type { AuditEntry } from '../../../server/storage/index.ts'

const HOUR_MS = 60 * 60_000
const createEntry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  at: instant(10 * HOUR_MS),
  who: 'office',
  what: 'viewed page 1 of the list demo',
  eventId: 'demo',
  regNo: null,
  look: 'list demo',
  ...changes,
})

test('logs repeated access by one user to one list once an hour, and logs every export', async () => {
  const auditLines: string[] = []
  const audit = skipRepeatedViews(async ({ who, what }) => void auditLines.push(`${who} ${what}`))
  await audit(createEntry())
  await audit(
    createEntry({ what: 'viewed page 2 of the list demo', at: instant(10 * HOUR_MS + 1) }),
  )
  expect(auditLines).toEqual(['office viewed page 1 of the list demo'])
  await audit(createEntry({ who: 'desk' }))
  await audit(createEntry({ look: 'list other' }))
  await audit(createEntry({ at: instant(11 * HOUR_MS) }))
  expect(auditLines).toHaveLength(4)
  const { look: _, ...exportEntry } = createEntry({ what: 'exported the list demo' })
  await audit(exportEntry)
  await audit(exportEntry)
  expect(auditLines).toHaveLength(6)
})

test('logs an access again if writing its first log entry failed', async () => {
  let isWritable = false
  const auditLines: string[] = []
  const audit = skipRepeatedViews(async ({ who }) => {
    if (!isWritable) throw new Error('the disk is full')
    auditLines.push(who)
  })
  await expect(audit(createEntry())).rejects.toThrow('the disk is full')
  isWritable = true
  await audit(createEntry())
  await audit(createEntry())
  expect(auditLines).toEqual(['office'])
})
