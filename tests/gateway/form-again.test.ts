/** Who left the gateway's page and sends the same form again: the same registration, and never a dead end or a second payment. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterAnswer } from '../../engine/index.ts'
import { delegate, openRig } from './rig.ts'
import type { Rig } from './rig.ts'

let rig: Rig
beforeAll(async () => {
  rig = await openRig()
})
afterAll(() => rig.close())

async function send(key: string): Promise<RegisterAnswer> {
  const response = await fetch(`${rig.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(delegate),
  })
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
  await rig.sandbox().act(first.orderId, 'leave')
  rig.advance(1000)
  const second = await arrive('left')
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
  await rig.sandbox().act(first.orderId, 'stay')
  rig.advance(1000)
  const again = await send('paid')
  expect(again).toMatchObject({ status: 'success', reg_no: first.reg_no })
  expect(again.payment_data).toBeUndefined()
})
