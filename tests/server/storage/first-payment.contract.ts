/**
 * Store contract for the first payment of a registration, which PostgreSQL writes in one round trip, and for the
 * gateway's checkouts and webhook events.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { INR, readCurrency, toAmount } from '../../../engine/index.ts'
import type { Currency, OrderId, PaymentEvent, RegNo } from '../../../engine/index.ts'
import type { PaymentKeys, Store } from '../../../server/storage/index.ts'
import {
  buildSale,
  buildDecline,
  readStored,
  addMs,
  newEmail,
  noon,
  sampleQuote,
  registerSample,
} from '../sample-registrations.ts'
import type { ContractSetup } from './contract-setup.ts'
import { FILE, ISSUER } from './sample-issuer.ts'

const USD = readCurrency('USD') as Currency

export function defineFirstPaymentContract(setUp: ContractSetup): void {
  let store: Store
  beforeEach(() => {
    store = setUp().store
  })

  async function readKeys(orderId: OrderId): Promise<PaymentKeys> {
    const registration = await store.registrationByOrder(orderId)
    const payment = registration?.payments.find((attempt) => attempt.orderId === orderId)
    if (registration == null || payment === undefined) throw new Error(`no payment ${orderId}`)
    const { eventId, id: registrationId } = registration
    return { paymentId: payment.id, registrationId, eventId, gateway: '', account: payment.account }
  }
  const readInvoice = async (regNo: RegNo): Promise<unknown> => {
    const invoice = (await store.documents(regNo)).find(({ kind }) => kind === 'invoice')
    return invoice === undefined ? null : store.document(regNo, invoice.id)
  }

  describe.each([
    ['whose keys are known', true],
    ['that is known by its order id', false],
  ])('a first payment %s', (_, hasKeys) => {
    beforeEach(async () => {
      await store.saveEventFile({ ...FILE, issuer: ISSUER })
    })
    const pay = async (orderId: OrderId, reference: string) =>
      store.applyPaymentEvent(
        orderId,
        buildSale(reference),
        newEmail,
        undefined,
        hasKeys ? await readKeys(orderId) : undefined,
      )

    test('returns the payment as it is stored, with a receipt and a numbered invoice', async () => {
      const { regNo, orderId } = await registerSample(store)
      const { payment } = await pay(orderId, 'AP1')
      expect(payment).toEqual(await store.payment(orderId))
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success', due: 0 })
      expect(await store.documents(regNo)).toMatchObject([
        { kind: 'receipt', serial: orderId, total: sampleQuote.total },
        { kind: 'invoice', serial: 'DEMO/1', total: sampleQuote.total },
      ])
      expect(await readInvoice(regNo)).toMatchObject({
        serial: 'DEMO/1',
        total: sampleQuote.total,
        paid: { reference: 'AP1' },
      })
    })

    test('in dollars gets an invoice with the next number once an exchange rate is stored', async () => {
      const { regNo, orderId } = await registerSample(store, {
        quote: { ...sampleQuote, currency: USD },
      })
      const event = { ...buildSale('AP1'), currency: 'USD' } as PaymentEvent
      const keys = hasKeys ? await readKeys(orderId) : undefined
      await store.applyPaymentEvent(orderId, event, newEmail, undefined, keys)
      expect(await readStored(store, regNo)).toMatchObject({ paymentStatus: 'success', due: 0 })
      expect(await readInvoice(regNo)).toBeNull()
      const [waitingInvoice] = await store.waitingInvoices('demo')
      expect(waitingInvoice).toMatchObject({ regNo, currency: 'USD' })
      const day = waitingInvoice?.day ?? ('' as never)
      const rate = { eventId: 'demo', currency: USD, day, source: 'FBIL', who: 'asha', at: noon }
      await store.issueWaitingInvoices([regNo], addMs(1000))
      expect(await readInvoice(regNo)).toBeNull()
      await store.saveExchangeRate({ ...rate, rate: '83' })
      await store.saveExchangeRate({ ...rate, rate: '83.5' })
      await Promise.all(
        [1, 2].map(async (n) => store.issueWaitingInvoices([regNo], addMs(n * 1000))),
      )
      expect(await store.documents(regNo)).toMatchObject([
        { kind: 'receipt' },
        { kind: 'invoice', serial: 'DEMO/1', currency: 'USD' },
      ])
      expect(await readInvoice(regNo)).toMatchObject({ rupees: { rate: '83.5', day } })
      expect(await store.waitingInvoices('demo')).toEqual([])
      expect(await store.exchangeRates('demo')).toMatchObject([{ rate: '83.5', who: 'asha' }])
    })

    test('through another attempt does not change the failed attempt', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const secondAttempt = await store.retry(regNo, addMs(120_000))
      if (!secondAttempt.ok) throw new Error(secondAttempt.error.code)
      const { payment } = await pay(secondAttempt.value.orderId, 'AP1')
      expect(payment).toEqual(await store.payment(secondAttempt.value.orderId))
      expect((await readStored(store, regNo)).payments.map(({ status }) => status)).toEqual([
        'success',
        'failed',
      ])
      expect(await readInvoice(regNo)).toMatchObject({ serial: 'DEMO/1' })
    })

    test('through an attempt that was declined earlier turns that attempt into a success', async () => {
      const { regNo, orderId } = await registerSample(store)
      await store.applyPaymentEvent(orderId, buildDecline(), null)
      const { payment } = await pay(orderId, 'AP1')
      expect(payment).toMatchObject({ status: 'success', failure: null })
      expect(payment).toEqual(await store.payment(orderId))
      expect(await readInvoice(regNo)).toMatchObject({ serial: 'DEMO/1' })
    })

    test('by a person who has already paid is confirmed as a second payment', async () => {
      const [first, second] = [await registerSample(store), await registerSample(store)]
      await pay(first.orderId, 'AP1')
      await pay(second.orderId, 'AP2')
      const [firstMail] = await store.emailsOfRegistration(first.regNo)
      const [secondMail] = await store.emailsOfRegistration(second.regNo)
      expect(firstMail).toMatchObject({ subject: newEmail.subject, text: newEmail.text })
      expect(secondMail?.text).toContain(first.regNo)
      expect(secondMail?.subject).not.toBe(newEmail.subject)
      expect(await store.secondPayment(second.regNo)).toMatchObject({
        first: { regNo: first.regNo },
      })
      expect(await readInvoice(second.regNo)).toMatchObject({ serial: 'DEMO/2' })
    })

    test('that is reported again changes nothing', async () => {
      const { regNo, orderId } = await registerSample(store)
      await pay(orderId, 'AP1')
      const stateBefore = [await readStored(store, regNo), await store.documents(regNo)]
      expect(await pay(orderId, 'AP1')).toMatchObject({ changed: false, review: null })
      expect([await readStored(store, regNo), await store.documents(regNo)]).toEqual(stateBefore)
    })
  })

  describe('checkouts and webhook events', () => {
    test('a checkout is found by its order id and by the gateway’s checkout id', async () => {
      const orderId = 'DEMO1' as OrderId
      const checkout = { checkoutId: 'order_1', orderId, amount: toAmount(17_700), currency: INR }
      const second = { ...checkout, checkoutId: 'order_2', amount: toAmount(18_000) }
      await store.recordCheckout(checkout, noon)
      await store.recordCheckout(second, addMs(1000))
      await store.recordCheckout(checkout, addMs(2000))
      expect(await store.checkoutsOf(orderId)).toEqual([checkout, second])
      expect(await store.checkoutById('order_2')).toEqual(second)
      expect(await store.checkoutById('order_3')).toBeNull()
      expect(await store.checkoutsOf('DEMO2' as OrderId)).toEqual([])
    })
    test('a webhook event counts as processed once it is recorded', async () => {
      expect(await store.isWebhookProcessed('a:evt_1')).toBe(false)
      expect(await store.lastWebhookAt('a:')).toBeNull()
      await store.recordWebhookEvent('a:evt_1', noon)
      await store.recordWebhookEvent('a:evt_1', addMs(1000))
      expect(await store.isWebhookProcessed('a:evt_1')).toBe(true)
      expect(await store.isWebhookProcessed('a:evt_2')).toBe(false)
      expect(await store.lastWebhookAt('a:')).toBe(noon)
      expect(await store.lastWebhookAt('b:')).toBeNull()
    })
  })
}
