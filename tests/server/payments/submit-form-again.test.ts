/** Who left the gateway's page and sends the same form again: the same registration, and never a dead end or a second payment. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterAnswer } from '../../../engine/api.ts'
import { delegate, openRig } from './server-with-gateway.ts'
import type { Rig } from './server-with-gateway.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

const post = (key: string): Promise<Response> =>
  fetch(`${rig.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
async function send(key: string): Promise<RegisterAnswer> {
  const response = await post(key)
  expect(response.status).toBe(201)
  return (await response.json()) as RegisterAnswer
}

/** Sends the form, arrives at the gateway's page, and answers what the form was told. */
async function arrive(key: string): Promise<RegisterAnswer & { readonly orderId: string }> {
  const answer = await send(key)
  if (answer.payment_data === undefined) throw new Error('nothing is due')
  await rig.handOff(answer.payment_data)
  const { orderid } = answer.payment_data
  expect(rig.sandbox().order(orderid)?.stage).toBe('open')
  return { ...answer, orderId: orderid }
}

test('after leaving the payment page without paying, the form leads to a page that takes the payment', async () => {
  const first = await arrive('left')
  await rig.sandbox().runAction(first.orderId, 'leave')
  rig.advance(1000)
  // Nothing was refused, so the same order may still be paid; a second one could be paid beside it.
  expect(await arrive('left')).toMatchObject({ reg_no: first.reg_no, orderId: first.orderId })
  await rig.sandbox().runAction(first.orderId, 'pay')
  await rig.settled()
  expect(rig.holds(first.orderId)).toMatchObject({ status: 'success', mails: 1 })
})

test('after a decline, the form leads to a page that takes the payment under a new order', async () => {
  const first = await arrive('declined')
  await rig.sandbox().runAction(first.orderId, 'decline')
  await rig.settled()
  const second = await arrive('declined')
  expect(second.reg_no).toBe(first.reg_no)
  expect(second.orderId).not.toBe(first.orderId)
  expect(rig.holds(first.orderId).status).toBe('failed')
})

test('after going back from a payment page that is still open, the form leads to the same order', async () => {
  const first = await arrive('back')
  rig.advance(1000)
  expect(await arrive('back')).toMatchObject({ reg_no: first.reg_no, orderId: first.orderId })
})

test('after paying in a window that was closed before it came back, the form asks for no second payment', async () => {
  const first = await arrive('paid')
  await rig.sandbox().runAction(first.orderId, 'stay')
  rig.advance(1000)
  const again = await send('paid')
  expect(again).toMatchObject({ status: 'success', reg_no: first.reg_no })
  expect(again.payment_data).toBeUndefined()
})

test('sent twice at the same moment after a failure, the form leads to one further order', async () => {
  const first = await arrive('twice')
  await rig.sandbox().runAction(first.orderId, 'decline')
  await rig.settled()
  rig.advance(1000)
  const both = await Promise.all([send('twice'), send('twice')])
  const orders = new Set(both.map(({ payment_data }) => payment_data?.orderid))
  expect([...orders]).toEqual([`${first.reg_no}02`])
})

test('once registration is closed, the form and the failed page state the same, and no order begins', async () => {
  const first = await arrive('closed')
  await rig.sandbox().runAction(first.orderId, 'decline')
  await rig.settled()
  rig.advance(1000)
  const file = join(rig.environment.eventsDir, 'afpicon2026.yaml')
  const text = readFileSync(file, 'utf8')
  const serve = async (as: string): Promise<void> => {
    writeFileSync(file, as)
    await rig.parts().deps.events.reload()
  }
  const closed = 'closed: {heading: Registration Closed, text: Registration is closed.}'
  await serve(`${text.replace('status: open', 'status: closed')}\n${closed}\n`)
  const retry = await fetch(`${rig.url}/api/payment/retry/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: first.orderId }),
  })
  const [page, form] = [await retry.json(), await (await post('closed')).json()]
  await serve(text)
  expect(page).toMatchObject({ status: 'error', code: 'registration_closed' })
  expect(form).toEqual(page)
  expect(rig.rows('SELECT 1 FROM payments WHERE order_id LIKE ?', `${first.reg_no}%`)).toHaveLength(
    1,
  )
})
