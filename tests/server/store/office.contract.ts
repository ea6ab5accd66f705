/** What the office and the server itself keep: mails, admins and sessions, event files, the audit log. */
import { describe, expect, test, beforeEach } from 'vitest'
import type { Instant } from '../../../engine/index.ts'
import type { Store } from '../../../server/store/store.ts'
import { confirmed, hour, later, mail, noon, quoted, registered } from '../registrations.ts'
import type { Given } from './given.ts'

export function officeContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })

  describe('mails', () => {
    test('are due until sent or given up', async () => {
      const { regNo, orderId } = await registered(store)
      await store.applyFact(orderId, confirmed('AP1', quoted.total, later(10)), mail)
      expect(await store.dueMails(later(9), 10)).toEqual([])
      const [due] = await store.dueMails(later(10), 10)
      expect(due).toEqual({
        ...mail,
        id: expect.any(Number),
        kind: 'confirmation',
        attempts: 0,
        eventId: 'demo',
        regNo,
      })
      const id = due?.id ?? 0
      await store.mailFailed(id, 'no route', later(hour))
      expect(await store.dueMails(later(hour - 1), 10)).toEqual([])
      expect(await store.dueMails(later(hour), 10)).toMatchObject([{ id, attempts: 1 }])
      await store.mailSent(id, later(hour))
      expect(await store.dueMails(later(9 * hour), 10)).toEqual([])
      expect(await store.mailsOf(regNo)).toMatchObject([
        { status: 'sent', at: later(hour), error: null },
      ])
      const again = await store.queueMail(
        regNo,
        { ...mail, copyTo: 'office@example.org' },
        later(2 * hour),
      )
      await store.mailFailed(again, 'refused', null)
      expect(await store.dueMails(later(9 * hour), 10)).toEqual([])
      expect(await store.mailsOf(regNo)).toMatchObject([
        { status: 'sent' },
        { id: again, status: 'failed', error: 'refused', copyTo: 'office@example.org' },
      ])
    })
  })

  describe('admins and sessions', () => {
    test('a username is taken once, whatever its letters', async () => {
      expect(await store.adminCount()).toBe(0)
      expect(await store.addAdmin('office', 'hash', noon)).toMatchObject({ ok: true })
      expect(await store.addAdmin('Office', 'hash', noon)).toEqual({
        ok: false,
        error: { code: 'username_taken' },
      })
      expect(await store.admin('office')).toEqual({
        id: expect.any(Number),
        username: 'office',
        passwordHash: 'hash',
      })
      expect(await store.admin('nobody')).toBeNull()
      expect(await store.adminCount()).toBe(1)
    })

    test('a session ends by idleness, by age, by logout and by a new password', async () => {
      const admin = await store.addAdmin('office', 'hash', noon)
      if (!admin.ok) throw new Error(admin.error.code)
      const open = (tokenHash: string): Promise<void> =>
        store.openSession({
          tokenHash,
          adminId: admin.value,
          at: noon,
          expiresAt: later(10 * hour),
        })
      await Promise.all([open('a'), open('b'), open('c')])
      expect(await store.session('a', later(hour), hour)).toEqual({
        adminId: admin.value,
        username: 'office',
      })
      expect(await store.session('a', later(2 * hour), hour)).not.toBeNull()
      expect(await store.session('b', later(2 * hour), hour)).toBeNull()
      expect(await store.session('a', later(10 * hour), 100 * hour)).toBeNull()
      expect(await store.session('x', noon, hour)).toBeNull()
      await store.closeSession('a')
      expect(await store.session('a', later(2 * hour), hour)).toBeNull()
      expect(await store.setPassword('office', 'hash-2', noon)).toBe(true)
      expect(await store.session('c', noon, hour)).toBeNull()
      expect((await store.admin('office'))?.passwordHash).toBe('hash-2')
      expect(await store.setPassword('nobody', 'hash-2', noon)).toBe(false)
    })
  })

  test('an admin who is removed has no session left; the last one stays', async () => {
    const first = await store.addAdmin('office', 'hash', noon)
    if (!first.ok) throw new Error(first.error.code)
    const session = { adminId: first.value, at: noon, expiresAt: later(10 * hour) }
    await store.openSession({ tokenHash: 'a', ...session })
    expect(await store.removeAdmin('office')).toBe('last')
    expect(await store.removeAdmin('nobody')).toBe('unknown')
    await store.addAdmin('desk', 'hash', noon)
    expect(await store.removeAdmin('OFFICE')).toBe('removed')
    expect(await store.session('a', noon, hour)).toBeNull()
    expect(await store.admin('office')).toBeNull()
    expect(await store.adminCount()).toBe(1)
  })

  describe('event files', () => {
    test('every version is kept by its hash; the last served is the last', async () => {
      const file = (hash: string, at: Instant) => ({
        hash,
        eventId: 'demo',
        text: `text of ${hash}`,
        shared: '{}',
        at,
      })
      await store.keepEventFile(file('one', noon))
      await store.keepEventFile(file('two', later(1)))
      expect((await store.lastEventFile('demo'))?.hash).toBe('two')
      await store.keepEventFile(file('one', later(2)))
      expect(await store.lastEventFile('demo')).toEqual({
        hash: 'one',
        eventId: 'demo',
        text: 'text of one',
        shared: '{}',
      })
      expect((await store.eventFile('two'))?.text).toBe('text of two')
      expect(await store.eventFile('three')).toBeNull()
      expect(await store.lastEventFile('another')).toBeNull()
    })
  })

  test('the audit log keeps who did what', async () => {
    const { regNo } = await registered(store)
    await store.audit({
      at: later(5),
      who: 'office',
      what: 'opened the proof',
      eventId: 'demo',
      regNo,
    })
    expect(await store.auditOf(regNo)).toEqual([
      { at: noon, who: 'delegate', what: 'registered' },
      { at: later(5), who: 'office', what: 'opened the proof' },
    ])
  })
}
