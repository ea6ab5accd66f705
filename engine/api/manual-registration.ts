/** How a registration made at the desk travels: the form that is asked, and what became of it. */
import type { RegistrationState } from '../registration/status.ts'
import type { PublicEvent } from '../event/config.ts'
import type { WireAsk } from './payment-methods.ts'

/** GET /admin/add/?event=ID. */
export type AddingAnswer = {
  status: 'success'
  /** The server's clock, ISO with +05:30: by it things cost what they cost. */
  now: string
  event: PublicEvent
  /** Places that are gone, and how many are left where the file asks to say so; by place. */
  left: Record<string, number>
  /** By which the desk takes money; empty: it takes none. */
  ways: { id: string; label: string; asks: WireAsk[] }[]
}
/**
 * 201 of POST /admin/add/ {event, key, answers, way?, paid?: {question: answer}}. Without a way it is left due. Else
 * as registering says no, `errors` also of the way's questions.
 */
export type AddedAnswer = { status: 'success'; reg_no: string; state: RegistrationState }
