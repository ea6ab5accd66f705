/** Store contract for staff: names, roles, password links, second factors, sessions and the audit log. */
import { beforeEach, describe, expect, test } from 'vitest'
import { day, dayOf } from '../../../engine/index.ts'
import { LostPermissionError } from '../../../server/storage/index.ts'
import type { AuditLogQuery, Store } from '../../../server/storage/index.ts'
import { HOUR_MS, addMs, noon, registerSample } from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'

const verified = { passwordHash: 'hash', hasSecondFactor: false }

export function defineUsersContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  describe('admins and sessions', () => {
    test('usernames are unique, ignoring case', async () => {
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
        role: 'owner',
        events: null,
        totpSecret: null,
      })
      expect(await store.admin('unknown user')).toBeNull()
      expect(await store.adminCount()).toBe(1)
    })

    test('a session ends when it is idle, at its maximum age, on sign-out and when the password changes', async () => {
      const admin = await store.addAdmin('office', 'hash', noon)
      if (!admin.ok) throw new Error(admin.error.code)
      const open = (tokenHash: string): Promise<boolean> =>
        store.openSession({
          tokenHash,
          adminId: admin.value,
          at: noon,
          expiresAt: addMs(10 * HOUR_MS),
          verified,
        })
      await Promise.all([open('a'), open('b'), open('c')])
      expect(await store.session('a', addMs(HOUR_MS), HOUR_MS)).toEqual({
        adminId: admin.value,
        username: 'office',
        role: 'owner',
        events: null,
        hasSecondFactor: false,
        secondFactorRequired: false,
      })
      expect(await store.session('a', addMs(2 * HOUR_MS), HOUR_MS)).not.toBeNull()
      expect(await store.session('b', addMs(2 * HOUR_MS), HOUR_MS)).toBeNull()
      expect(await store.session('a', addMs(10 * HOUR_MS), 100 * HOUR_MS)).toBeNull()
      expect(await store.session('x', noon, HOUR_MS)).toBeNull()
      await store.closeSession('a')
      expect(await store.session('a', addMs(2 * HOUR_MS), HOUR_MS)).toBeNull()
      expect(await store.setPassword('office', 'hash-2', noon)).toBe(true)
      expect(await store.session('c', noon, HOUR_MS)).toBeNull()
      expect((await store.admin('office'))?.passwordHash).toBe('hash-2')
      expect(await store.setPassword('unknown user', 'hash-2', noon)).toBe(false)
    })
  })

  test('a sign-in that a password reset, a removal or a new second factor overtakes opens no session', async () => {
    const created = await store.addAdmin('desk', 'hash', noon)
    if (!created.ok) throw new Error(created.error.code)
    await store.addAdmin('owner', 'hash', noon)
    const times = { adminId: created.value, at: noon, expiresAt: addMs(10 * HOUR_MS) }
    const open = (tokenHash: string, changes = {}): Promise<boolean> =>
      store.openSession({ tokenHash, ...times, verified: { ...verified, ...changes } })
    expect(await open('before')).toBe(true)
    await store.setPassword('desk', 'hash-2', noon)
    expect(await open('overtaken')).toBe(false)
    await store.startSecondFactorSetup(created.value, 'SECRET')
    await store.confirmSecondFactor(created.value, 'SECRET', 100, [])
    expect(await open('without code', { passwordHash: 'hash-2' })).toBe(false)
    expect(await open('with code', { passwordHash: 'hash-2', hasSecondFactor: true })).toBe(true)
    await store.removeAdmin('desk')
    expect(await open('removed', { passwordHash: 'hash-2', hasSecondFactor: true })).toBe(false)
  })

  test('a write of a user who was signed out, removed or demoted stores nothing', async () => {
    const created = await store.addAdmin('chief', 'hash', noon)
    if (!created.ok) throw new Error(created.error.code)
    await store.addAdmin('owner', 'hash', noon)
    const open = (sessionHash: string): Promise<boolean> =>
      store.openSession({
        tokenHash: sessionHash,
        adminId: created.value,
        at: noon,
        expiresAt: addMs(10 * HOUR_MS),
        verified,
      })
    const add = (sessionHash: string, username: string) =>
      store
        .forSender({ sessionHash, role: 'owner', events: null })
        .addAdmin(username, 'hash', noon)
        .then(
          ({ ok }) => ok,
          (error: unknown) => (error instanceof LostPermissionError ? error.status : error),
        )
    await open('a')
    await open('b')
    expect([await add('a', 'new'), await add('a', 'new')]).toEqual([true, false])
    await store.closeSession('a')
    expect(await add('a', 'signed-out')).toBe(401)
    await store.setPermissions('chief', { role: 'treasurer', events: null })
    expect(await add('b', 'demoted')).toBe(403)
    await store.setPermissions('chief', { role: 'owner', events: ['demo'] })
    expect(await add('b', 'limited')).toBe(403)
    await store.setPermissions('chief', { role: 'owner', events: null })
    expect(await add('b', 'owner-again')).toBe(true)
    await store.removeAdmin('chief')
    expect(await add('b', 'removed')).toBe(401)
    const names = (await store.staffAccounts(noon)).map(({ username }) => username)
    expect(names).toEqual(['new', 'owner', 'owner-again'])
  })

  test('removing a user ends their sessions; the last owner cannot be removed', async () => {
    const addResult = await store.addAdmin('office', 'hash', noon)
    if (!addResult.ok) throw new Error(addResult.error.code)
    const session = {
      adminId: addResult.value,
      at: noon,
      expiresAt: addMs(10 * HOUR_MS),
      verified,
    }
    await store.openSession({ tokenHash: 'a', ...session })
    expect(await store.removeAdmin('office')).toBe('last')
    expect(await store.removeAdmin('unknown user')).toBe('unknown')
    await store.addAdmin('desk', 'hash', noon)
    expect(await store.removeAdmin('OFFICE')).toBe('removed')
    expect(await store.session('a', noon, HOUR_MS)).toBeNull()
    expect(await store.admin('office')).toBeNull()
    expect(await store.adminCount()).toBe(1)
  })

  describe('permissions', () => {
    const demoDesk = { role: 'desk', events: ['demo'] } as const

    test('are unlimited by default, and changes to them apply from the next request', async () => {
      const owner = await store.addAdmin('owner', 'hash', noon)
      const desk = await store.addAdmin('desk', 'hash', noon, demoDesk)
      if (!owner.ok || !desk.ok) throw new Error('expected two new users')
      await store.openSession({
        tokenHash: 'a',
        adminId: desk.value,
        at: noon,
        expiresAt: addMs(10 * HOUR_MS),
        network: '192.0.2.7',
        browser: 'Firefox on Linux',
        verified,
      })
      expect(await store.session('a', noon, HOUR_MS)).toMatchObject(demoDesk)
      expect(await store.setPermissions('DESK', { role: 'viewer', events: null })).toBe('done')
      expect(await store.session('a', noon, HOUR_MS)).toMatchObject({
        role: 'viewer',
        events: null,
      })
      expect(await store.setPermissions('unknown user', demoDesk)).toBe('unknown')
      expect(await store.staffAccounts(noon)).toEqual([
        {
          username: 'desk',
          role: 'viewer',
          events: null,
          hasSecondFactor: false,
          createdAt: noon,
          signedInAt: noon,
          invitedUntil: null,
        },
        {
          username: 'owner',
          role: 'owner',
          events: null,
          hasSecondFactor: false,
          createdAt: noon,
          signedInAt: null,
          invitedUntil: null,
        },
      ])
    })

    test('the last owner of all events cannot lose the owner role', async () => {
      await store.addAdmin('owner', 'hash', noon)
      await store.addAdmin('second', 'hash', noon, { role: 'owner', events: ['demo'] })
      expect(await store.removeAdmin('owner')).toBe('last')
      expect(await store.setPermissions('owner', { role: 'treasurer', events: null })).toBe('last')
      expect(await store.setPermissions('owner', { role: 'owner', events: ['demo'] })).toBe('last')
      expect(await store.setPermissions('owner', { role: 'owner', events: null })).toBe('done')
      expect(await store.setPermissions('second', { role: 'owner', events: null })).toBe('done')
      expect(await store.removeAdmin('owner')).toBe('removed')
    })

    test('the only owner who can sign in cannot give up the role, even if another owner has not yet used their password link', async () => {
      await store.addAdmin('owner', 'hash', noon)
      const link = { tokenHash: 'link', expiresAt: addMs(HOUR_MS) }
      await store.addAdmin('invited', 'unknown to all', noon, undefined, link)
      expect(await store.setPermissions('owner', { role: 'viewer', events: null })).toBe('last')
      expect(await store.removeAdmin('owner')).toBe('last')
      await store.usePasswordLink('link', 'hash', noon)
      expect(await store.setPermissions('owner', { role: 'viewer', events: null })).toBe('done')
    })
  })

  test('only the newest password link works, once, until it expires', async () => {
    await store.addAdmin('desk', 'hash', noon)
    const expiresAt = addMs(HOUR_MS)
    const setLink = (username: string, tokenHash: string): Promise<boolean> =>
      store.setPassword(username, 'unknown to all', noon, { tokenHash, expiresAt })
    expect(await setLink('unknown user', 'x')).toBe(false)
    await setLink('desk', 'old')
    await setLink('desk', 'new')
    expect(await store.passwordLink('old', noon)).toBeNull()
    expect(await store.passwordLink('new', addMs(HOUR_MS))).toBeNull()
    expect(await store.usePasswordLink('new', 'hash-2', addMs(HOUR_MS))).toBeNull()
    expect(await store.passwordLink('new', noon)).toEqual({ username: 'desk' })
    expect(await store.usePasswordLink('new', 'hash-2', noon)).toEqual({ username: 'desk' })
    expect(await store.usePasswordLink('new', 'hash-3', noon)).toBeNull()
    expect((await store.admin('desk'))?.passwordHash).toBe('hash-2')
  })

  test('a second factor applies once it is confirmed; each code and each recovery code is accepted once', async () => {
    const created = await store.addAdmin('office', 'hash', noon)
    if (!created.ok) throw new Error(created.error.code)
    const id = created.value
    await store.startSecondFactorSetup(id, 'SECRET')
    expect((await store.admin('office'))?.totpSecret).toBeNull()
    expect(await store.confirmSecondFactor(id, 'ANOTHER', 100, ['a'])).toBe(false)
    expect(await store.confirmSecondFactor(id, 'SECRET', 100, ['a', 'b'])).toBe(true)
    expect(await store.admin('office')).toMatchObject({ totpSecret: 'SECRET' })
    expect(await store.acceptSecondFactorCode(id, 100, 'SEALED')).toBe(false)
    const results = await Promise.all([
      store.acceptSecondFactorCode(id, 101, null),
      store.acceptSecondFactorCode(id, 101, null),
    ])
    expect(results.toSorted()).toEqual([false, true])
    expect(await store.admin('office')).toMatchObject({ totpSecret: 'SECRET' })
    expect(await store.acceptSecondFactorCode(id, 102, 'SEALED')).toBe(true)
    expect(await store.admin('office')).toMatchObject({ totpSecret: 'SEALED' })
    expect(await store.useRecoveryCode(id, 'a', noon)).toBe(true)
    expect(await store.useRecoveryCode(id, 'a', noon)).toBe(false)
    expect(await store.account(id)).toMatchObject({ recoveryCodesLeft: 1, totpWanted: null })
    expect(await store.removeSecondFactor('OFFICE')).toBe(true)
    expect(await store.removeSecondFactor('office')).toBe(false)
    expect(await store.account(id)).toMatchObject({ totpSecret: null, recoveryCodesLeft: 0 })
  })

  test('active sessions are listed, and all but one can be ended', async () => {
    const created = await store.addAdmin('office', 'hash', noon)
    if (!created.ok) throw new Error(created.error.code)
    const open = (tokenHash: string, at: number): Promise<boolean> =>
      store.openSession({
        tokenHash,
        adminId: created.value,
        at: addMs(at),
        expiresAt: addMs(at + 10 * HOUR_MS),
        verified,
      })
    await open('old', 0)
    await open('new', 2 * HOUR_MS)
    const listTokens = async () =>
      (await store.sessionsOf(created.value, addMs(2 * HOUR_MS), HOUR_MS)).map(
        ({ tokenHash }) => tokenHash,
      )
    expect(await listTokens()).toEqual(['new'])
    await open('third', HOUR_MS)
    expect(await listTokens()).toEqual(['new', 'third'])
    expect(await store.closeOtherSessions(created.value, 'third')).toBe(2)
    expect(await listTokens()).toEqual(['third'])
  })

  test('the audit log records who did what', async () => {
    const { regNo } = await registerSample(store)
    await store.addAuditEntry({
      at: addMs(5),
      who: 'office',
      what: 'opened the proof',
      eventId: 'demo',
      regNo,
    })
    expect(await store.auditOf(regNo)).toEqual([
      { at: noon, who: 'delegate', what: 'registered' },
      { at: addMs(5), who: 'office', what: 'opened the proof' },
    ])
  })

  test('repeated views within an hour share one audit log entry; every export has its own', async () => {
    const recordView = (who: string, at: number, look?: string) =>
      store.addAuditEntry({
        at: addMs(at),
        who,
        what: look === undefined ? 'exported the list' : `saw the ${look}`,
        eventId: 'demo',
        regNo: null,
        ...(look !== undefined && { look }),
      })
    await recordView('asha', 0, 'list')
    await recordView('asha', 1000, 'list')
    await recordView('asha', 2000, 'sums')
    await recordView('ravi', 3000, 'list')
    await recordView('asha', HOUR_MS, 'list')
    await recordView('asha', HOUR_MS + 1)
    await recordView('asha', HOUR_MS + 2)
    const ALL_ENTRIES: AuditLogQuery = {
      who: null,
      events: null,
      kinds: null,
      words: '',
      from: null,
      to: null,
    }
    const listEntries = async (query: Partial<AuditLogQuery>) =>
      (await store.auditLog({ ...ALL_ENTRIES, ...query }, null, 10)).map(
        ({ who, what, at }) => `${who} ${what} ${at - noon}`,
      )
    expect(await listEntries({})).toEqual([
      `asha exported the list ${HOUR_MS + 2}`,
      `asha exported the list ${HOUR_MS + 1}`,
      `asha saw the list ${HOUR_MS}`,
      'ravi saw the list 3000',
      'asha saw the sums 2000',
      'asha saw the list 0',
    ])
    expect(await listEntries({ kinds: ['exports'], words: 'LIST exp' })).toHaveLength(2)
    expect(await listEntries({ kinds: ['changes', 'signing-in'] })).toEqual([])
    expect(await listEntries({ who: 'ravi' })).toEqual(['ravi saw the list 3000'])
    expect(await listEntries({ events: ['another'] })).toEqual([])
    const today = dayOf(noon)
    expect(await listEntries({ from: today, to: today, kinds: ['looks'] })).toHaveLength(4)
    expect(await listEntries({ to: day('2001-01-01') })).toEqual([])
    const [, secondEntry] = await store.auditLog(ALL_ENTRIES, null, 2)
    expect(await store.auditLog(ALL_ENTRIES, secondEntry?.id ?? 0, 10)).toHaveLength(4)
    expect(await store.auditLogUsers(null)).toEqual(['asha', 'ravi'])
    expect(await store.auditLogUsers(['another'])).toEqual([])
  })
}
