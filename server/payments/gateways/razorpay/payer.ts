/** Finds the payer in the responses to a status query, in which Razorpay states email and phone but no name. */
import type { Payer } from '../../../storage/index.ts'
import { asItems, asObject, asText } from './api.ts'

/** The maximum length; real addresses are shorter. */
const MAX_CHARACTERS = 100

/** Returns the payer. `raw`: the stored list of responses. Null if no payment contains a payer. */
export function findRazorpayPayer(raw: string): Payer | null {
  let responses: unknown
  try {
    responses = JSON.parse(raw)
  } catch {
    return null
  }
  const payments = (Array.isArray(responses) ? responses : []).flatMap(
    (response) => asItems(asObject(response) ?? {}) ?? [],
  )
  for (const payment of payments) {
    const [email = '', phone = '', way = ''] = ['email', 'contact', 'method'].map((name) =>
      asText(payment[name]).trim().slice(0, MAX_CHARACTERS),
    )
    if (email !== '' || phone !== '') return { name: '', email, phone, way }
  }
  return null
}
