/** Duplicate payments by one person for one event: which pairs are reported, and how they are resolved. */
import { beforeEach, describe, expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { NewAction, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  createImportRow,
  addMs,
  newEmail,
  buildNameCorrection,
  buildRegistration,
  nextRegNo,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { RegistrationChanges } from '../sample-registrations.ts'
import { ALL_REGISTRATIONS, toRegNos } from './contract-setup.ts'
import type { ContractSetup } from './contract-setup.ts'

const DUPLICATE_FILTER = { is: 'second_payment', at: addMs(5_000) } as const

export function defineDuplicatePaymentsContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })
  const buildPerson = (fullName: string, email = 'asha@example.org'): RegistrationChanges => ({
    name: fullName,
    searchable: { ...buildRegistration().searchable, fullName, email },
  })
  const registerPaid = async (changes: RegistrationChanges = {}) => {
    const { regNo, orderId } = await registerSample(store, changes)
    await store.applyPaymentEvent(orderId, buildSale(`AP${regNo}`), newEmail)
    return { regNo, orderId }
  }
  /** Returns the numbers of both registrations of each pair, in order of registration. */
  const listReportedPairs = async (eventId = 'demo'): Promise<readonly string[]> =>
    toRegNos(
      (await store.listPage({ ...ALL_REGISTRATIONS, eventId, waiting: DUPLICATE_FILTER }, 1, 10))
        .rows,
    ).toReversed()
  const buildAction = (regNo: RegNo, changes: Partial<NewAction> = {}): NewAction => ({
    regNo,
    act: 'note',
    actor: 'owner',
    who: 'Meera',
    why: 'Rang them.',
    at: addMs(1000),
    idempotencyKey: null,
    ...changes,
  })
  const changeName = async (regNo: RegNo, fullName: string, act: 'correct' | 'transfer') => {
    const { answers: previousAnswers, category } = await readStored(store, regNo)
    const correctionResult = await store.correct(
      buildAction(regNo, { act }),
      buildNameCorrection(fullName, { previousAnswers, category, quote: sampleQuote }),
    )
    expect(correctionResult.ok).toBe(true)
  }
  const listQueuedEmails = async (regNo: RegNo) =>
    (await store.dueMails(addMs(60_000), 10)).filter((email) => email.regNo === regNo)

  describe('a second payment for the same name and email address', () => {
    test('is reported with the first one, and only its confirmation mentions it', async () => {
      const first = await registerPaid(buildPerson('Asha Demo'))
      expect(await listReportedPairs()).toEqual([])
      const second = await registerPaid(buildPerson('Dr. ASHA  demo', 'Asha@Example.org'))
      expect(await listReportedPairs()).toEqual([first.regNo, second.regNo])
      expect(await store.secondPayment(first.regNo)).toBeNull()
      expect(await store.secondPayment(second.regNo)).toMatchObject({
        first: { regNo: first.regNo, amount: sampleQuote.total },
        askedAt: null,
      })
      expect((await store.otherPaymentsOfPerson(first.regNo)).regNos).toEqual([second.regNo])
      expect((await store.otherPaymentsOfPerson(second.regNo)).regNos).toEqual([first.regNo])
      expect(await listQueuedEmails(first.regNo)).toMatchObject([
        { subject: 'Registered', text: newEmail.text },
      ])
      const [confirmation] = await listQueuedEmails(second.regNo)
      expect(confirmation?.subject).toBe('Registered (second payment)')
      expect(confirmation?.text).toContain(`You had already paid for registration ${first.regNo}.`)
    })

    test('is not reported for another name, another event, or an unpaid or free registration', async () => {
      await registerPaid(buildPerson('Asha Demo'))
      await registerPaid(buildPerson('Anil Demo'))
      await registerPaid({ ...buildPerson('Asha Demo'), eventId: 'other' })
      await registerSample(store, buildPerson('Asha Demo'))
      await registerSample(store, { ...buildPerson('Asha Demo'), quote: null, orderId: null })
      expect([await listReportedPairs(), await listReportedPairs('other')]).toEqual([[], []])
    })

    test('is reported once for two concurrent payments', async () => {
      const orders = [
        await registerSample(store, buildPerson('Asha Demo')),
        await registerSample(store, buildPerson('Asha Demo')),
      ]
      await Promise.all(
        orders.map(({ regNo, orderId }) =>
          store.applyPaymentEvent(orderId, buildSale(`AP${regNo}`), newEmail),
        ),
      )
      expect(await listReportedPairs()).toEqual(orders.map(({ regNo }) => regNo))
      const secondPayments = await Promise.all(
        orders.map(({ regNo }) => store.secondPayment(regNo)),
      )
      expect(secondPayments.filter((payment) => payment !== null)).toHaveLength(1)
      const subjects = (await store.dueMails(addMs(60_000), 10)).map(({ subject }) => subject)
      expect(subjects.toSorted()).toEqual(['Registered', 'Registered (second payment)'])
    })

    test.each(['first', 'second'] as const)(
      'is no longer reported once the %s registration is cancelled',
      async (cancelled) => {
        const pair = { first: await registerPaid(), second: await registerPaid() }
        const { regNo } = pair[cancelled]
        const cancellation = { refundAmount: toAmount(0), shownPaidAmount: null, mail: null }
        expect((await store.cancel(buildAction(regNo, { act: 'cancel' }), cancellation)).ok).toBe(
          true,
        )
        expect(await listReportedPairs()).toEqual([])
        expect(await store.secondPayment(pair.second.regNo)).toBeNull()
      },
    )

    test('is no longer reported once either payment is refunded; a third payment forms a new pair', async () => {
      const [first, second] = [await registerPaid(), await registerPaid()]
      const refund = { type: 'refunded', reference: 'RF1', at: addMs(70_000) } as const
      await store.applyPaymentEvent(first.orderId, { ...refund, amount: sampleQuote.total }, null)
      expect(await listReportedPairs()).toEqual([])
      const third = await registerPaid()
      expect(await listReportedPairs()).toEqual([second.regNo, third.regNo])
      expect((await store.secondPayment(third.regNo))?.first.regNo).toBe(second.regNo)
    })

    test('cannot be refunded while the refund of the first payment is in progress', async () => {
      const [first, second] = [await registerPaid(), await registerPaid()]
      const refund = buildAction(first.regNo, { act: 'refund' })
      expect(
        (await store.refund(refund, { amount: null, manualReference: null, gatewayKinds: {} })).ok,
      ).toBe(true)
      expect(await listReportedPairs()).toEqual([])
      expect(await store.secondPayment(second.regNo)).toBeNull()
      const request = buildAction(second.regNo, { act: 'ask_refund', actor: 'delegate', why: '' })
      expect(await store.requestSecondPaymentRefund(request)).toMatchObject({
        error: { code: 'not_now' },
      })
    })

    test.each([
      ['refunded', 'refunded'],
      ['refunded', 'cancelled'],
      ['cancelled', 'cancelled'],
    ] as const)(
      'if two treasurers each act on one of the registrations and the first is %s, the second is not %s at the same time',
      async (...actions) => {
        const pair = [await registerPaid(), await registerPaid()] as const
        const shownPayments = await Promise.all(
          pair.map(({ regNo }) => store.otherPaymentsOfPerson(regNo)),
        )
        const perform = (index: 0 | 1) => {
          const buildPairAction = (act: 'refund' | 'cancel') =>
            buildAction(pair[index].regNo, {
              act,
              shownOtherPayments: shownPayments[index]?.version ?? '',
            })
          return actions[index] === 'refunded'
            ? store.refund(buildPairAction('refund'), {
                amount: null,
                manualReference: null,
                gatewayKinds: {},
              })
            : store.cancel(buildPairAction('cancel'), {
                refundAmount: toAmount(0),
                shownPaidAmount: null,
                mail: null,
              })
        }
        const outcomes = await Promise.all([perform(0), perform(1)])
        expect(outcomes.map(({ ok }) => ok).toSorted()).toEqual([false, true])
        expect(outcomes.find(({ ok }) => !ok)).toMatchObject({ error: { code: 'not_now' } })
        // The remaining payment no longer has a duplicate.
        const remainingIndex = outcomes[0].ok ? 1 : 0
        const { regNo: remainingRegNo } = pair[remainingIndex]
        const remainingPayments = await store.otherPaymentsOfPerson(remainingRegNo)
        expect(remainingPayments.regNos).toEqual([])
        const refund = buildAction(remainingRegNo, {
          act: 'refund',
          shownOtherPayments: remainingPayments.version,
        })
        expect(
          await store.refund(refund, {
            amount: null,
            manualReference: null,
            gatewayKinds: {},
          }),
        ).toMatchObject({ ok: true })
      },
    )

    test('is still counted as refundable if its name was corrected to this name and its registration then cancelled', async () => {
      const first = await registerPaid(buildPerson('Asha Demo'))
      const second = await registerPaid(buildPerson('Ravi Demo'))
      const readVersion = async () => (await store.otherPaymentsOfPerson(first.regNo)).version
      expect(await readVersion()).toBe('')
      await changeName(second.regNo, 'Asha Demo', 'correct')
      expect(await readVersion()).toMatch(/^\S+:0:1$/)
      const cancellation = { refundAmount: toAmount(0), shownPaidAmount: null, mail: null }
      await store.cancel(buildAction(second.regNo, { act: 'cancel' }), cancellation)
      expect(await readVersion()).toMatch(/^\S+:0:0$/)
      await store.refund(buildAction(second.regNo, { act: 'refund' }), {
        amount: null,
        manualReference: null,
        gatewayKinds: {},
      })
      expect(await readVersion()).toMatch(new RegExp(`:${sampleQuote.total}:0$`))
    })

    test('is no longer reported after a transfer to another person, and is reported again if a correction makes the names match', async () => {
      const [first, second] = [await registerPaid(), await registerPaid()]
      await changeName(first.regNo, 'Binu Demo', 'transfer')
      expect(await listReportedPairs()).toEqual([])
      await changeName(second.regNo, 'Prof. Binu Demo', 'correct')
      expect(await listReportedPairs()).toEqual([first.regNo, second.regNo])
    })

    test('is closed by a note on either registration, until the delegate requests a refund', async () => {
      const [first, second] = [await registerPaid(), await registerPaid()]
      const refundRequest = buildAction(second.regNo, {
        act: 'ask_refund',
        actor: 'delegate',
        why: '',
      })
      await store.addNote(buildAction(first.regNo))
      expect(await listReportedPairs()).toEqual([])
      expect((await store.requestSecondPaymentRefund(refundRequest)).ok).toBe(true)
      expect(await listReportedPairs()).toEqual([first.regNo, second.regNo])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBe(refundRequest.at)
      expect(await store.requestSecondPaymentRefund(refundRequest)).toMatchObject({
        error: { code: 'not_now' },
      })
      expect(
        await store.requestSecondPaymentRefund({ ...refundRequest, regNo: first.regNo }),
      ).toMatchObject({
        error: { code: 'not_now' },
      })
      // After the withdrawal, the earlier note applies again.
      const withdrawal = buildAction(second.regNo, {
        act: 'withdraw_refund',
        actor: 'delegate',
        why: '',
      })
      expect((await store.withdrawRefundRequest(withdrawal)).ok).toBe(true)
      expect((await store.secondPayment(second.regNo))?.askedAt).toBeNull()
      expect(await listReportedPairs()).toEqual([])
      expect(await store.withdrawRefundRequest(withdrawal)).toMatchObject({
        error: { code: 'not_now' },
      })
      expect((await store.requestSecondPaymentRefund(refundRequest)).ok).toBe(true)
      // A note on the first registration does not close the refund request of the second one.
      await store.addNote(buildAction(first.regNo))
      expect(await listReportedPairs()).toEqual([first.regNo, second.regNo])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBe(refundRequest.at)
      await store.addNote(buildAction(second.regNo))
      expect(await listReportedPairs()).toEqual([])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBeNull()
      // Once the author undoes the note, the request is open again.
      expect((await store.undoNote(buildAction(second.regNo, { act: 'undo_note' }))).ok).toBe(true)
      expect(await listReportedPairs()).toEqual([first.regNo, second.regNo])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBe(refundRequest.at)
    })

    test('is not closed by a note from before the second payment', async () => {
      const first = await registerPaid()
      await store.addNote(buildAction(first.regNo, { at: addMs(3 * 3_600_000) }))
      await registerPaid()
      expect(await listReportedPairs()).toHaveLength(2)
    })

    test('is also reported if the first registration was imported, and is no longer reported after erasure', async () => {
      const first = nextRegNo()
      const searchable = buildRegistration().searchable
      await store.importRegistrations([createImportRow({ regNo: first, searchable })])
      const second = await registerPaid()
      expect(await listReportedPairs()).toEqual([first, second.regNo])
      expect((await store.erasePersonalData(buildAction(first, { act: 'erase' }))).ok).toBe(true)
      expect(await listReportedPairs()).toEqual([])
    })
  })

  describe('a form for a person who has registered before', () => {
    const submit = (
      browser: string,
      changes: RegistrationChanges = {},
      confirmed: string | null = null,
    ) =>
      store.register(
        buildRegistration({ ...changes, form: { browser, confirmed, sendsEmail: true } }),
      )
    const submitNew = async (browser: string, changes: RegistrationChanges = {}) => {
      const result = await submit(browser, changes)
      if (!result.ok || result.value.orderId === null) throw new Error('not registered')
      return { ...result.value, orderId: result.value.orderId }
    }
    const buildQuestion = (regNo: RegNo, isPaid = false) => ({
      ok: false,
      error: {
        code: 'same_person',
        earlierRegistration: { regNo, isPaid, amount: sampleQuote.total },
      },
    })

    test('of 64 concurrent submissions from one browser, one registers, and the others ask about that registration', async () => {
      const results = await Promise.all(Array.from({ length: 64 }, () => submit('browser')))
      const [first, ...others] = results.flatMap((result) =>
        result.ok ? [result.value.regNo] : [],
      )
      expect([first, others]).toEqual([expect.any(String), []])
      expect(results.filter((result) => !result.ok)).toMatchObject(
        Array.from({ length: 63 }, () => buildQuestion(first as RegNo)),
      )
    })

    test('leads to a question only in a browser that has registered the person, until they confirm that registration', async () => {
      const { regNo, orderId } = await submitNew('mine', buildPerson('Dr Asha Demo'))
      expect(await submit('mine', buildPerson('ASHA DEMO', 'Asha+2@example.org'))).toMatchObject(
        buildQuestion(regNo),
      )
      expect(await submit('mine', buildPerson('Anil Demo'))).toMatchObject({ ok: true })
      expect(await submit('mine', { eventId: 'other' })).toMatchObject({ ok: true })
      expect(await store.register(buildRegistration())).toMatchObject({ ok: true })
      const strangerResult = await submit('other', {}, regNo)
      expect(strangerResult).toMatchObject({ ok: true })
      expect(await store.dueNotices(0, 9)).toHaveLength(1)
      await store.applyPaymentEvent(orderId, buildSale('AP1'), newEmail)
      expect(await submit('mine')).toMatchObject(buildQuestion(regNo, true))
      expect(await submit('other')).toMatchObject({ ok: false })
      const repeatedResult = await submit('mine', {}, regNo)
      expect(repeatedResult).toMatchObject({ ok: true })
      expect(await store.dueNotices(0, 9)).toHaveLength(1)
    })

    test('queues an email to the registered address, at most once a day per mailbox and event', async () => {
      const midnight = addMs(0)
      let browserCount = 0
      const submitIn = (eventId: string) => submitNew(`browser ${(browserCount += 1)}`, { eventId })
      const queueNotice = async (eventId: string, at = addMs(1000), to = 'asha@example.org') => {
        await submitIn(eventId)
        const [dueNotice, ...otherNotices] = await store.dueNotices(0, 9)
        if (dueNotice === undefined) throw new Error('no email is due')
        expect(otherNotices).toEqual([])
        const send = () =>
          store.queueAlreadyRegistered(
            dueNotice.regNo,
            { ...newEmail, to },
            at,
            midnight,
            dueNotice.id,
          )
        const isQueued = await send()
        expect([await send(), await store.dueNotices(0, 9)]).toEqual([false, []])
        return isQueued
      }
      for (const eventId of ['demo', 'other']) await submitIn(eventId)
      expect(await queueNotice('demo')).toBe(true)
      expect(await queueNotice('demo', addMs(2000))).toBe(false)
      expect(await queueNotice('demo', addMs(2000), 'Asha+2@Example.org')).toBe(false)
      expect(await queueNotice('demo', addMs(2000), 'anil@example.org')).toBe(true)
      expect(await queueNotice('other', addMs(2000))).toBe(true)
    })

    test('leads to no question about a registration that has failed, was cancelled, or now belongs to another person', async () => {
      const failedRegistration = await submitNew('mine')
      await store.applyPaymentEvent(failedRegistration.orderId, buildDecline(), null)
      const cancelledRegistration = await submitNew('mine')
      const cancellation = { refundAmount: toAmount(0), shownPaidAmount: null, mail: null }
      await store.cancel(buildAction(cancelledRegistration.regNo, { act: 'cancel' }), cancellation)
      const transferredRegistration = await submitNew('mine')
      await store.applyPaymentEvent(transferredRegistration.orderId, buildSale('AP1'), newEmail)
      await changeName(transferredRegistration.regNo, 'Binu Demo', 'transfer')
      // A form with the new name leads to no question either.
      expect(await submit('mine', buildPerson('Binu Demo'))).toMatchObject({ ok: true })
      const erasedRegistration = await submitNew('mine')
      await store.erasePersonalData(buildAction(erasedRegistration.regNo, { act: 'erase' }))
      const { regNo } = await submitNew('mine')
      expect(await store.dueNotices(0, 9)).toMatchObject([{ regNo: transferredRegistration.regNo }])
      await store.erasePersonalData(buildAction(transferredRegistration.regNo, { act: 'erase' }))
      expect(await store.dueNotices(0, 9)).toEqual([])
      expect(await submit('mine')).toMatchObject(buildQuestion(regNo))
    })
  })
}
