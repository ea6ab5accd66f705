/** Store contract for new registrations: from the form, once per idempotency key, and imported. */
import { describe, expect, test, beforeEach } from 'vitest'
import { dayOf, toAmount } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { ImportRow, NewRegistration, Store } from '../../../server/storage/index.ts'
import {
  readStored,
  HOUR_MS,
  createImportRow,
  addMs,
  newEmail,
  buildRegistration,
  nextRegNo,
  noon,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { ALL_REGISTRATIONS } from './contract-setup.ts'
import type { ContractSetup, ContractStore } from './contract-setup.ts'

export function defineRegisterContract(setUp: ContractSetup): void {
  let store: Store
  let setup: ContractStore
  beforeEach(() => {
    setup = setUp()
    store = setUp().store
  })

  describe('registering', () => {
    test('with the slip number of another payment stores nothing; with a new slip number, the registration is paid immediately', async () => {
      const createDeskPayment = (reference: string) =>
        ({ actor: 'desk', way: 'cash', reference, mail: newEmail }) as const
      const desk = { addedBy: 'the desk', way: 'desk' }
      const first = await registerSample(store, {
        ...desk,
        deskPayment: createDeskPayment('C-001'),
      })
      expect(await readStored(store, first.regNo)).toMatchObject({
        paymentStatus: 'success',
        state: 'complete',
        paymentId: 'C-001',
      })
      const idempotency = { key: 'a click of the desk', fingerprint: 'as it was' }
      const figures = await store.dashboardFigures('demo', dayOf(noon))
      const rejectedForm = buildRegistration({
        ...desk,
        deskPayment: createDeskPayment('c-001'),
        idempotency,
      })
      expect(await store.register(rejectedForm)).toEqual({
        ok: false,
        error: {
          code: 'not_confirmed',
          refusal: {
            code: 'taken',
            message: `c-001 is already recorded: it is the payment of ${first.regNo}.`,
          },
        },
      })
      expect(await store.registration(rejectedForm.regNo)).toBe(null)
      expect(await store.registrationByKey('demo', idempotency.key, noon)).toBe(null)
      expect(await store.dashboardFigures('demo', dayOf(noon))).toEqual(figures)
      const correctedForm = { ...rejectedForm, deskPayment: createDeskPayment('C-002') }
      expect(await store.register(correctedForm)).toMatchObject({
        ok: true,
        value: { repeated: false },
      })
      expect(await store.register(correctedForm)).toMatchObject({
        ok: true,
        value: { repeated: true },
      })
      expect(await store.captures(rejectedForm.regNo)).toMatchObject([
        { source: 'cash', reference: 'C-002', amount: 501_500, state: 'fits' },
      ])
      expect((await store.actions(rejectedForm.regNo)).map(({ act, who }) => [act, who])).toEqual([
        ['add', 'the desk'],
        ['confirm', 'the desk'],
      ])
      expect(await store.emailsOfRegistration(rejectedForm.regNo)).toHaveLength(1)
    })

    test('stores all data of the registration', async () => {
      const upload = {
        field: 'proof',
        sha256: 'a'.repeat(64),
        name: 'proof.pdf',
        type: 'application/pdf',
        bytes: 1234,
      }
      const registration = buildRegistration({
        uploads: [upload],
        holdUntil: addMs(48 * HOUR_MS),
        answers: { full_name: 'ആശ', note: 'a "quoted" \\ line', age: 41.5, member: false },
      })
      expect(await store.register(registration)).toEqual({
        ok: true,
        value: {
          id: expect.any(Number),
          regNo: registration.regNo,
          orderId: registration.orderId,
          amount: 501_500,
          repeated: false,
        },
      })
      expect(await store.registration(registration.regNo)).toEqual({
        id: expect.any(Number),
        eventId: 'demo',
        eventHash: 'hash-1',
        regNo: registration.regNo,
        formerNo: null,
        wasTransferred: false,
        answers: registration.answers,
        category: 'pg',
        period: 'early',
        base: 425_000,
        gst: 76_500,
        total: 501_500,
        currency: 'INR',
        lines: [],
        paymentStatus: 'pending',
        inReview: false,
        state: 'to_pay',
        due: 0,
        money: { paid: 0, refunded: 0, owed: 501_500 },
        approval: null,
        decideBy: null,
        offer: null,
        payUntil: null,
        paymentId: null,
        paidAt: null,
        createdAt: noon,
        uploads: [{ ...upload, droppedAt: null }],
        payments: [
          {
            id: expect.any(Number),
            orderId: registration.orderId,
            regNo: registration.regNo,
            eventId: 'demo',
            amount: 501_500,
            currency: 'INR',
            status: 'pending',
            reference: null,
            review: null,
            failure: null,
            createdAt: noon,
            paidAt: null,
            account: null,
            merchantId: null,
            gateway: '',
            watchUntil: null,
            quote: { period: 'early', base: 425_000, gst: 76_500 },
            holdUntil: addMs(48 * HOUR_MS),
            handedOffAt: noon,
            lastResponse: null,
            nextAskAt: noon,
            claimedAt: null,
            reviewSince: null,
            hasMoneyInReview: false,
            refunded: 0,
            isDifference: false,
            way: null,
          },
        ],
      })
      expect(await store.auditOf(registration.regNo)).toEqual([
        { at: noon, who: 'delegate', what: 'registered' },
      ])
      expect(await store.emailsOfRegistration(registration.regNo)).toEqual([])
      expect(await store.uploadsInUse(['b'.repeat(64), upload.sha256])).toEqual([upload.sha256])
    })

    test('completes the registration and queues its email immediately if nothing is due', async () => {
      const { regNo } = await registerSample(store, {
        orderId: null,
        quote: null,
        mail: newEmail,
      })
      expect(await readStored(store, regNo)).toMatchObject({
        paymentStatus: 'success',
        payments: [],
        total: null,
      })
      expect(await store.emailsOfRegistration(regNo)).toMatchObject([
        { ...newEmail, status: 'queued' },
      ])
    })

    test('stores the consents with the registration', async () => {
      const { regNo } = await registerSample(store, {
        consents: ['agreed to “The rules” (version 2)'],
      })
      expect((await store.auditOf(regNo)).map(({ at, what }) => [at, what])).toEqual([
        [noon, 'registered'],
        [noon, 'agreed to “The rules” (version 2)'],
      ])
    })

    test('rejects a registration number that is already in use, and stores nothing', async () => {
      const { regNo } = await registerSample(store, { name: 'First' })
      expect(await store.register(buildRegistration({ regNo, name: 'Second' }))).toEqual({
        ok: false,
        error: { code: 'reg_no_taken' },
      })
      expect((await readStored(store, regNo)).answers.full_name).toBe('First')
      expect((await store.auditOf(regNo)).length).toBe(1)
      expect((await store.listPage(ALL_REGISTRATIONS, 1, 10)).count).toBe(1)
    })

    test('rejects an order id that is already in use, and does not store a registration without its payment', async () => {
      const { orderId } = await registerSample(store)
      const second = buildRegistration({ orderId })
      expect(await store.register(second)).toEqual({ ok: false, error: { code: 'reg_no_taken' } })
      expect(await store.registration(second.regNo)).toBeNull()
      expect((await store.listPage(ALL_REGISTRATIONS, 1, 10)).count).toBe(1)
    })

    test('fails for one registration without affecting the others in its batch', async () => {
      const { regNo } = await registerSample(store)
      const registrations = Array.from({ length: 20 }, (_, index) =>
        buildRegistration(index === 7 ? { regNo } : {}),
      )
      const results = await Promise.all(registrations.map((created) => store.register(created)))
      expect(results.map(({ ok }) => ok)).toEqual(registrations.map((_, index) => index !== 7))
      expect((await store.listPage(ALL_REGISTRATIONS, 1, 10)).count).toBe(20)
    })

    test('stores a registration that is still there after the store is reopened', async () => {
      const { regNo } = await registerSample(store)
      const reopenedStore = await setup.reopen()
      expect((await readStored(reopenedStore, regNo)).paymentStatus).toBe('pending')
    })
  })

  describe('the idempotency key', () => {
    const buildKeyedRegistration = (
      fingerprint: string,
      changes: RegistrationChanges = {},
    ): NewRegistration =>
      buildRegistration({ idempotency: { key: 'key-1', fingerprint }, ...changes })

    test('returns the first registration if the request is repeated', async () => {
      const first = await store.register(buildKeyedRegistration('same'))
      const second = await store.register(buildKeyedRegistration('same', { at: addMs(HOUR_MS) }))
      expect(first.ok && second.ok && second.value).toEqual(
        first.ok && { ...first.value, repeated: true },
      )
      expect((await store.listPage(ALL_REGISTRATIONS, 1, 10)).count).toBe(1)
    })

    test('is rejected with a different request, but can be used again for another event', async () => {
      await store.register(buildKeyedRegistration('same'))
      expect(await store.register(buildKeyedRegistration('other'))).toEqual({
        ok: false,
        error: { code: 'idempotency_key_reused' },
      })
      expect(
        await store.register(buildKeyedRegistration('other', { eventId: 'another' })),
      ).toMatchObject({
        ok: true,
        value: { repeated: false },
      })
    })

    test('is deleted after 24 hours, and not earlier', async () => {
      await store.register(buildKeyedRegistration('same'))
      expect(
        await store.register(buildKeyedRegistration('same', { at: addMs(24 * HOUR_MS - 1) })),
      ).toMatchObject({
        value: { repeated: true },
      })
      expect(
        await store.register(buildKeyedRegistration('same', { at: addMs(24 * HOUR_MS) })),
      ).toMatchObject({
        value: { repeated: false },
      })
    })

    test('creates one registration if it is used a hundred times at once', async () => {
      const results = await Promise.all(
        Array.from({ length: 100 }, () => store.register(buildKeyedRegistration('same'))),
      )
      expect(new Set(results.map((answer) => answer.ok && answer.value.regNo)).size).toBe(1)
      expect(results.filter((answer) => answer.ok && !answer.value.repeated).length).toBe(1)
      expect((await store.listPage(ALL_REGISTRATIONS, 1, 10)).count).toBe(1)
    })
  })

  describe('importing', () => {
    const createRow = (regNo: RegNo, changes: Partial<ImportRow> = {}): ImportRow =>
      createImportRow({ eventId: 'old', regNo, paymentId: 'TX1', ...changes })

    test('adds rows once; importing them again changes nothing', async () => {
      const rows = [
        createRow(nextRegNo()),
        createRow(nextRegNo(), {
          total: null,
          paymentStatus: 'pending',
          paymentId: null,
          paidAt: null,
        }),
      ]
      expect(await store.importRegistrations(rows)).toEqual({
        ok: true,
        value: { added: 2, unchanged: 0 },
      })
      expect(await store.importRegistrations(rows)).toEqual({
        ok: true,
        value: { added: 0, unchanged: 2 },
      })
      expect(await store.dashboardFigures('old', dayOf(noon))).toMatchObject({
        total: 2,
        paid: 1,
        pending: 1,
        revenue: 700_000,
      })
      expect(await readStored(store, rows[0]?.regNo ?? '')).toMatchObject({
        answers: createImportRow().answers,
        paymentStatus: 'success',
        paymentId: 'TX1',
        total: 700_000,
        base: null,
      })
      expect(await store.captures(rows[0]?.regNo as RegNo)).toMatchObject([
        { source: 'import', reference: 'TX1', amount: 700_000, state: 'fits' },
      ])
      // These payments belong to no configured gateway, so none is queried.
      expect(await store.pendingPayments(addMs(9 * HOUR_MS), 10)).toEqual([])
    })

    test('recognises a row by its former number, and the registration is found by both numbers', async () => {
      const newRow = createRow(nextRegNo(), { formerNo: 'OLD/17' })
      await store.importRegistrations([newRow])
      expect(await store.importRegistrations([{ ...newRow, regNo: nextRegNo() }])).toEqual({
        ok: true,
        value: { added: 0, unchanged: 1 },
      })
      expect(await store.registrationByFormerNumber('old', 'OLD/17')).toMatchObject({
        regNo: newRow.regNo,
        formerNo: 'OLD/17',
      })
      expect(await store.registrationByFormerNumber('demo', 'OLD/17')).toBeNull()
      for (const search of ['ld/17', newRow.regNo.slice(5)]) {
        const { rows } = await store.listPage({ eventId: 'old', answers: {}, search }, 1, 10)
        expect([search, rows.map(({ regNo }) => regNo)]).toEqual([search, [newRow.regNo]])
      }
    })

    test('rejects all rows if one registration number is in use', async () => {
      const { regNo } = await registerSample(store)
      expect(await store.importRegistrations([createRow(nextRegNo()), createRow(regNo)])).toEqual({
        ok: false,
        error: { code: 'reg_no_taken', formerNo: `OLD-${regNo}` },
      })
      expect((await store.listPage({ eventId: 'old', answers: {} }, 1, 10)).count).toBe(0)
    })

    test('rejects all rows if one differs from its stored registration', async () => {
      const [first, second] = [createRow(nextRegNo()), createRow(nextRegNo())]
      await store.importRegistrations([first])
      expect(await store.importRegistrations([second, { ...first, total: toAmount(1) }])).toEqual({
        ok: false,
        error: { code: 'differs', formerNo: first.formerNo },
      })
      expect(await store.registration(second.regNo)).toBeNull()
    })
  })
}
