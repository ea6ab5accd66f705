/** Repeated access is logged once an hour, and later pages of a list do not wait for the log. */
import { expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import { skipRepeated } from '../../../server/storage/staff/audit-log-entries.ts'
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

test('writes repeated access to a list once an hour; another user, list or hour, and each change, every time', async () => {
  const written: string[] = []
  const audit = skipRepeated(async ({ who, what }) => void written.push(`${who} ${what}`))
  await audit(createEntry())
  await audit(
    createEntry({ what: 'viewed page 2 of the list demo', at: instant(10 * HOUR_MS + 1) }),
  )
  expect(written).toEqual(['office viewed page 1 of the list demo'])
  await audit(createEntry({ who: 'desk' }))
  await audit(createEntry({ look: 'list other' }))
  await audit(createEntry({ at: instant(11 * HOUR_MS) }))
  expect(written).toHaveLength(4)
  const { look: _, ...withoutView } = createEntry({ what: 'exported the list demo' })
  await audit(withoutView)
  await audit(withoutView)
  expect(written).toHaveLength(6)
})

test('writes an access entry later if the first attempt failed', async () => {
  let isWritable = false
  const written: string[] = []
  const audit = skipRepeated(async ({ who }) => {
    if (!isWritable) throw new Error('the disk is full')
    written.push(who)
  })
  await expect(audit(createEntry())).rejects.toThrow('the disk is full')
  isWritable = true
  await audit(createEntry())
  await audit(createEntry())
  expect(written).toEqual(['office'])
})
