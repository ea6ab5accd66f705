/** What shows that a registration is this tab's: the key under which the form was sent. The server knows it for a day. */
import type { PublicEvent } from '../../engine/index.ts'
import { recall } from '../shared/keep.ts'
import { isRecord } from '../shared/shape.ts'

const nameOf = (event: PublicEvent): string => `sent from here of ${event.id}`

/**
 * Null: another tab sent it, or nobody knows. It is looked for while the answers are still in the tab, and kept
 * beside them: once it is paid they are forgotten.
 */
export function keyOfSent(event: PublicEvent, orderId: string): string | null {
  const answers = recall(event)
  try {
    if (answers?.regNo != null && orderId.startsWith(answers.regNo)) {
      const { regNo, key } = answers
      sessionStorage.setItem(nameOf(event), JSON.stringify({ regNo, key }))
      return key
    }
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(event)) ?? 'null')
    return isRecord(kept) &&
      typeof kept['regNo'] === 'string' &&
      typeof kept['key'] === 'string' &&
      orderId.startsWith(kept['regNo'])
      ? kept['key']
      : null
  } catch {
    return null
  }
}
