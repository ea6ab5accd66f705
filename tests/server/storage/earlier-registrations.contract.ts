/** Store contract for a changed event file: its rules hold while earlier registrations are processed in batches. */
import { beforeEach, describe, expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { Quota, UniqueRule } from '../../../engine/index.ts'
import type { ExternalContext, ServedFile, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  HOUR_MS,
  addMs,
  buildRegistration,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'

/** More registrations than fit in one batch, so they are processed in two. */
const REGISTRATION_COUNT = 1_020
const CHUNK_SIZE = 60
const byName: UniqueRule = {
  name: 'full_name text',
  onDuplicate: 'block',
  parts: [{ id: 'full_name', as: 'text' }],
}
const byEmail: UniqueRule = {
  name: 'email text',
  onDuplicate: 'block',
  parts: [{ id: 'email', as: 'text' }],
  emailField: 'email',
}
const createPerson = (n: number, email = `person${n}@example.org`): RegistrationChanges => ({
  name: `Person ${n}`,
  answers: { full_name: `Person ${n}`, member: true, email },
  searchable: { fullName: `Person ${n}`, email, phone: '', councilNo: '' },
})
const createHall = (max: number, condition: Partial<Quota> = limitToCategory('pg')): Quota => ({
  id: 'hall',
  max,
  full: { message: 'Full' },
  ...condition,
})
const limitToCategory = (category: string): Partial<Quota> => ({
  when: [[{ field: 'category', test: { is: 'in', values: [category] } }]],
})
const membersOnly: Partial<Quota> = {
  when: [[{ field: 'member', test: { is: 'in', values: [true] } }]],
}
const fullRefusal = { ok: false, error: { code: 'full', place: 'hall' } }
const uniqueNameContext: ExternalContext = {
  unique: [byName],
  isConfirmed: false,
  code: null,
  memberListRows: [],
  holdMs: 60_000,
}

export function defineEarlierRegistrationsContract(setUp: ContractSetup): void {
  let store: Store
  const serve = (changes: Partial<ServedFile>): Promise<void> =>
    store.saveEventFile({
      hash: 'hash-1',
      eventId: 'demo',
      text: '',
      shared: '',
      at: noon,
      holdPlaceMs: 60_000,
      ...changes,
    })
  const register = (changes: RegistrationChanges = {}) =>
    store.register(buildRegistration({ orderId: null, at: addMs(REGISTRATION_COUNT), ...changes }))
  const processBatch = (): Promise<boolean> =>
    store.applyNewRulesToEarlierRegistrations(addMs(HOUR_MS))
  const processAll = async (): Promise<void> => {
    while (await processBatch());
  }
  const countTakenSeats = async (): Promise<number | undefined> =>
    (await store.listTakenSeats('demo')).find(({ quotaKey }) => quotaKey === 'hall')?.taken

  describe('earlier registrations', () => {
    let restoreRows: (() => Promise<void>) | null = null
    beforeEach(async () => {
      const openedStore = setUp()
      store = openedStore.store
      // The rows are restored, because registering everyone again for each test would take most of the test time.
      if (restoreRows !== null) return restoreRows()
      for (let n = 0; n < REGISTRATION_COUNT; n += CHUNK_SIZE)
        await Promise.all(
          Array.from({ length: CHUNK_SIZE }, (_, index) =>
            registerSample(store, { ...createPerson(n + index), orderId: null, at: addMs(n) }),
          ),
        )
      restoreRows = await openedStore.saveRows()
    })

    test('in a category count towards its new quota immediately, before they are processed', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT)] })
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT)
      expect(await register()).toEqual(fullRefusal)
      expect(await store.availableSeats('demo', {}, addMs(REGISTRATION_COUNT))).toEqual({ hall: 0 })
      expect((await register({ category: 'other' })).ok).toBe(true)
      await processAll()
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT)
      expect(await register()).toEqual(fullRefusal)
      await serve({ limits: [createHall(REGISTRATION_COUNT + 1)] })
      // After a change of the maximum, nothing is counted again.
      expect(await processBatch()).toBe(false)
      expect((await register()).ok).toBe(true)
      expect(await register()).toEqual(fullRefusal)
    })

    test('a form that is sent twice gets the existing registration, not the message that no seats are left', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT + 1)] })
      await processAll()
      const submit = (browser: string) =>
        store.register(
          buildRegistration({
            at: addMs(REGISTRATION_COUNT),
            ...createPerson(REGISTRATION_COUNT + 1),
            form: { browser, confirmed: null, sendsEmail: true },
          }),
        )
      expect((await submit('mine')).ok).toBe(true)
      expect(await submit('mine')).toMatchObject({ error: { code: 'same_person' } })
      expect(await submit('other')).toEqual(fullRefusal)
    })

    test('do not delay a new registration if the quota cannot be full', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT * 3)] })
      expect((await register()).ok).toBe(true)
      await processAll()
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT + 1)
    })

    test('are counted before a new registration is accepted if the quota depends on an answer', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT, membersOnly)] })
      const pendingRegistration = register()
      await processAll()
      expect(await pendingRegistration).toEqual(fullRefusal)
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT)
      await serve({ limits: [createHall(REGISTRATION_COUNT + 1, membersOnly)] })
      expect((await register()).ok).toBe(true)
    })

    test('that change before they are processed are counted in their new state', async () => {
      const lastInstant = { at: addMs(REGISTRATION_COUNT - 1) }
      const [cancelled, erased, paid, unpaid] = await Promise.all([
        registerSample(store, { ...lastInstant, orderId: null }),
        registerSample(store, { ...lastInstant, orderId: null }),
        registerSample(store, lastInstant),
        registerSample(store, lastInstant),
      ])
      await serve({ limits: [createHall(REGISTRATION_COUNT * 3, membersOnly)] })
      const action = {
        actor: 'owner',
        who: 'asha',
        why: 'x',
        at: addMs(REGISTRATION_COUNT),
        idempotencyKey: null,
      } as const
      const cancelResult = await store.cancel(
        { ...action, act: 'cancel', regNo: cancelled.regNo },
        { refundAmount: toAmount(0), shownPaidAmount: null, mail: null },
      )
      expect(cancelResult.ok).toBe(true)
      // The answers of the erased registration are deleted, but it still counts.
      const eraseResult = await store.erasePersonalData({
        ...action,
        act: 'erase',
        regNo: erased.regNo,
      })
      expect(eraseResult.ok).toBe(true)
      await store.applyPaymentEvent(paid.orderId, buildSale('AP1'), null)
      await processAll()
      // All are counted except the cancelled registration and the one whose hold has expired.
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT + 2)
      await serve({ limits: [createHall(REGISTRATION_COUNT + 2, membersOnly)] })
      await store.applyPaymentEvent(unpaid.orderId, buildSale('AP2'), null)
      expect(await store.reviews('demo')).toMatchObject([{ is: 'misfit', regNo: unpaid.regNo }])
    })

    test('are processed from where the server left off when it stopped', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT, membersOnly)], unique: [byName] })
      expect(await processBatch()).toBe(true)
      store = await setUp().reopen()
      await processAll()
      expect(await countTakenSeats()).toBe(REGISTRATION_COUNT)
      expect(await register()).toEqual(fullRefusal)
      expect(
        await register({ category: 'other', name: 'person 3', externalContext: uniqueNameContext }),
      ).toMatchObject({
        error: { code: 'registered_already' },
      })
    })

    test('release their seats when the quota is limited to another category or removed', async () => {
      await serve({ limits: [createHall(REGISTRATION_COUNT)] })
      await processAll()
      await serve({ limits: [createHall(1, limitToCategory('other'))] })
      expect(await countTakenSeats()).toBe(0)
      expect((await register({ category: 'other' })).ok).toBe(true)
      expect((await register()).ok).toBe(true)
      await processAll()
      expect(await countTakenSeats()).toBe(1)
      expect(await register({ category: 'other' })).toEqual(fullRefusal)
      await serve({ limits: [] })
      expect(await store.listTakenSeats('demo')).toEqual([])
      await processAll()
      expect((await register({ category: 'other' })).ok).toBe(true)
    })

    test('are checked under a new uniqueness rule, like registrations still made with the previous version', async () => {
      await serve({ unique: [byName] })
      expect((await register({ name: 'Late' })).ok).toBe(true)
      await processAll()
      for (const name of ['late', 'Person 0'])
        expect(await register({ name, externalContext: uniqueNameContext })).toMatchObject({
          error: { code: 'registered_already' },
        })
      // Nothing is indexed again.
      expect(await processBatch()).toBe(false)
    })

    test('are checked under a new uniqueness rule for email addresses immediately', async () => {
      await serve({ unique: [byEmail] })
      const externalContext = { ...uniqueNameContext, unique: [byEmail] }
      const conflict = { error: { code: 'registered_already' } }
      for (const email of ['PERSON3@example.org', `person${REGISTRATION_COUNT - 1}@Example.org`])
        expect(await register({ ...createPerson(0, email), externalContext })).toMatchObject(
          conflict,
        )
      const otherPerson = { ...createPerson(0, 'erson3@example.org'), externalContext }
      expect((await register(otherPerson)).ok).toBe(true)
      expect(await register(otherPerson)).toMatchObject(conflict)
      await processAll()
      expect(await register(otherPerson)).toMatchObject(conflict)
    })

    test('are checked under a new uniqueness rule immediately; other registrations wait until all are indexed', async () => {
      await serve({ unique: [byName] })
      const conflict = { error: { code: 'registered_already' } }
      const samePerson = {
        name: ` PERSON ${REGISTRATION_COUNT - 1}`,
        externalContext: uniqueNameContext,
      }
      expect(await register(samePerson)).toMatchObject(conflict)
      const pendingRegistration = register({
        name: 'Someone else',
        externalContext: uniqueNameContext,
      })
      await processAll()
      expect((await pendingRegistration).ok).toBe(true)
      for (const name of [samePerson.name, 'someone ELSE', 'Person 0'])
        expect(await register({ name, externalContext: uniqueNameContext })).toMatchObject(conflict)
    })
  })
}
