/** Second payments of one person in one event: which pairs staff see, and what ends them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { paise } from '../../../engine/index.ts'
import type { RegNo } from '../../../engine/index.ts'
import type { NewAction, Store } from '../../../server/storage/index.ts'
import {
  confirmedBy,
  found,
  createImportRow,
  later,
  newEmail,
  newRegistration,
  nextRegNo,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { Changes } from '../sample-registrations.ts'
import { all, regNosOf } from './contract-setup.ts'
import type { Given } from './contract-setup.ts'

const SECOND = { is: 'second_payment', at: later(5_000) } as const

export function secondPaymentsContract(given: Given): void {
  let store: Store
  beforeEach(() => {
    store = given().store
  })
  const person = (fullName: string, email = 'asha@example.org'): Changes => ({
    name: fullName,
    searchable: { ...newRegistration().searchable, fullName, email },
  })
  const pay = async (changes: Changes = {}) => {
    const { regNo, orderId } = await registerSample(store, changes)
    await store.applyPaymentEvent(orderId, confirmedBy(`AP${regNo}`), newEmail)
    return { regNo, orderId }
  }
  /** Both of each pair, in the order in which they were registered. */
  const reported = async (eventId = 'demo'): Promise<readonly string[]> =>
    regNosOf((await store.listPage({ ...all, eventId, waiting: SECOND }, 1, 10)).rows).toReversed()
  const wanted = (regNo: RegNo, changes: Partial<NewAction> = {}): NewAction => ({
    regNo,
    act: 'note',
    actor: 'owner',
    who: 'Meera',
    why: 'Rang them.',
    at: later(1000),
    once: null,
    ...changes,
  })
  const rename = async (regNo: RegNo, fullName: string, act: 'correct' | 'transfer') => {
    const { answers, category } = await found(store, regNo)
    const done = await store.correct(wanted(regNo, { act }), {
      was: answers,
      answers: { ...answers, full_name: fullName },
      category,
      searchable: { ...newRegistration().searchable, fullName },
      unique: [],
      mails: [],
      uploads: [],
      quote: sampleQuote,
      through: null,
      holdUntil: null,
      changes: ['Name'],
      endsLinks: false,
    })
    expect(done.ok).toBe(true)
  }
  const mailsOf = async (regNo: RegNo) =>
    (await store.dueMails(later(60_000), 10)).filter((one) => one.regNo === regNo)

  describe('a second payment for one name and email address', () => {
    test('is reported with the first one, and only its confirmation says so', async () => {
      const first = await pay(person('Asha Demo'))
      expect(await reported()).toEqual([])
      const second = await pay(person('Dr. ASHA  demo', 'Asha@Example.org'))
      expect(await reported()).toEqual([first.regNo, second.regNo])
      expect(await store.secondPayment(first.regNo)).toBeNull()
      expect(await store.secondPayment(second.regNo)).toEqual({
        first: first.regNo,
        askedAt: null,
      })
      expect(await store.paidBySamePerson(first.regNo)).toEqual([second.regNo])
      expect(await store.paidBySamePerson(second.regNo)).toEqual([first.regNo])
      expect(await mailsOf(first.regNo)).toMatchObject([
        { subject: 'Registered', text: newEmail.text },
      ])
      const [said] = await mailsOf(second.regNo)
      expect(said?.subject).toBe('Registered (second payment)')
      expect(said?.text).toContain(`You had already paid for registration ${first.regNo}.`)
    })

    test('excludes another name with the same email address, another event, unpaid and free registrations', async () => {
      await pay(person('Asha Demo'))
      await pay(person('Anil Demo'))
      await pay({ ...person('Asha Demo'), eventId: 'other' })
      await registerSample(store, person('Asha Demo'))
      await registerSample(store, { ...person('Asha Demo'), quote: null, orderId: null })
      expect([await reported(), await reported('other')]).toEqual([[], []])
    })

    test('is reported once for two concurrent payments', async () => {
      const orders = [
        await registerSample(store, person('Asha Demo')),
        await registerSample(store, person('Asha Demo')),
      ]
      await Promise.all(
        orders.map(({ regNo, orderId }) =>
          store.applyPaymentEvent(orderId, confirmedBy(`AP${regNo}`), newEmail),
        ),
      )
      expect(await reported()).toEqual(orders.map(({ regNo }) => regNo))
      const seconds = await Promise.all(orders.map(({ regNo }) => store.secondPayment(regNo)))
      expect(seconds.filter((one) => one !== null)).toHaveLength(1)
      const said = (await store.dueMails(later(60_000), 10)).map(({ subject }) => subject)
      expect(said.toSorted()).toEqual(['Registered', 'Registered (second payment)'])
    })

    test.each(['first', 'second'] as const)('ends when the %s is cancelled', async (which) => {
      const pair = { first: await pay(), second: await pay() }
      const { regNo } = pair[which]
      const how = { payBack: paise(0), shown: null, mail: null }
      expect((await store.cancel(wanted(regNo, { act: 'cancel' }), how)).ok).toBe(true)
      expect(await reported()).toEqual([])
      expect(await store.secondPayment(pair.second.regNo)).toBeNull()
    })

    test('ends when either is refunded; the other is a pair again with a third', async () => {
      const [first, second] = [await pay(), await pay()]
      const back = { type: 'refunded', reference: 'RF1', at: later(70_000) } as const
      await store.applyPaymentEvent(first.orderId, { ...back, amount: sampleQuote.total }, null)
      expect(await reported()).toEqual([])
      const third = await pay()
      expect(await reported()).toEqual([second.regNo, third.regNo])
      expect((await store.secondPayment(third.regNo))?.first).toBe(second.regNo)
    })

    test('ends when it is transferred to another person, and begins with a corrected name', async () => {
      const [first, second] = [await pay(), await pay()]
      await rename(first.regNo, 'Binu Demo', 'transfer')
      expect(await reported()).toEqual([])
      await rename(second.regNo, 'Prof. Binu Demo', 'correct')
      expect(await reported()).toEqual([first.regNo, second.regNo])
    })

    test('is closed by a note on either, until the delegate requests a refund', async () => {
      const [first, second] = [await pay(), await pay()]
      const ask = wanted(second.regNo, { act: 'ask_refund', actor: 'delegate', why: '' })
      await store.addNote(wanted(first.regNo))
      expect(await reported()).toEqual([])
      expect((await store.requestSecondPaymentRefund(ask)).ok).toBe(true)
      expect(await reported()).toEqual([first.regNo, second.regNo])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBe(ask.at)
      expect(await store.requestSecondPaymentRefund(ask)).toMatchObject({
        error: { code: 'not_now' },
      })
      expect(await store.requestSecondPaymentRefund({ ...ask, regNo: first.regNo })).toMatchObject({
        error: { code: 'not_now' },
      })
      // Withdrawn, the note of before counts again.
      const withdraw = wanted(second.regNo, { act: 'withdraw_refund', actor: 'delegate', why: '' })
      expect((await store.withdrawRefundRequest(withdraw)).ok).toBe(true)
      expect((await store.secondPayment(second.regNo))?.askedAt).toBeNull()
      expect(await reported()).toEqual([])
      expect(await store.withdrawRefundRequest(withdraw)).toMatchObject({
        error: { code: 'not_now' },
      })
      expect((await store.requestSecondPaymentRefund(ask)).ok).toBe(true)
      // A note about something else on the first must not end the request of the second.
      await store.addNote(wanted(first.regNo))
      expect(await reported()).toEqual([first.regNo, second.regNo])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBe(ask.at)
      await store.addNote(wanted(second.regNo))
      expect(await reported()).toEqual([])
      expect((await store.secondPayment(second.regNo))?.askedAt).toBeNull()
    })

    test('a note from before the second payment does not close it', async () => {
      const first = await pay()
      await store.addNote(wanted(first.regNo, { at: later(3 * 3_600_000) }))
      await pay()
      expect(await reported()).toHaveLength(2)
    })

    test('includes imported registrations, and ends when the person is erased', async () => {
      const first = nextRegNo()
      const searchable = newRegistration().searchable
      await store.importRegistrations([createImportRow({ regNo: first, searchable })])
      const second = await pay()
      expect(await reported()).toEqual([first, second.regNo])
      expect((await store.erasePersonalData(wanted(first, { act: 'erase' }))).ok).toBe(true)
      expect(await reported()).toEqual([])
    })
  })
}
