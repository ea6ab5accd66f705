/**
 * The script of a server-rendered form before hydration: live price, and recording of Pay.
 * Built separately and loaded first, at a thirtieth of the full size. It undoes its changes to the
 * page at the moment React takes over.
 */
import { buttonText, formatPrice, NO_MONEY, normalise } from '../../../engine/index.ts'
import { FORM_PRICE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { RawAnswers } from '../../../engine/index.ts'
import type { PageData } from '../../../engine/api.ts'
import { startOf } from '../draft-storage.ts'
import { FORM_ID } from '../form/field-keys.ts'
import type { Spot } from '../form/field-keys.ts'
import { priceOf } from '../price/live-price.ts'
import type { EventPage, PriceView } from '../price/live-price.ts'
import { typedIn, whenTaken } from './answers-typed-before-hydration.ts'
import { onwardByEnter } from '../fields/keyboard-and-autofill.ts'

/** Hides an element but keeps its space, so that nothing moves now or on takeover. */
const hide = (element: HTMLElement, isHidden: boolean): void => {
  element.style.visibility = isHidden ? 'hidden' : ''
}

function goAhead({ event: { event }, tariff }: EventPage): void {
  if (tariff === null) return
  const spots = [...document.querySelectorAll<HTMLElement>('[data-ahead]')].flatMap((element) => {
    const text = [...element.childNodes].find((node) => node instanceof Text)
    return text ? [{ text, drawn: text.data, is: element.dataset['ahead'] as Spot }] : []
  })
  const buttons = document.querySelectorAll<HTMLButtonElement>(`button[form="${FORM_ID}"]`)
  const reasons = document.querySelectorAll<HTMLElement>('#pay-why')
  const bills = document.querySelectorAll<HTMLElement>('.side .led')
  const priced = (typed: RawAnswers) =>
    priceOf(event, { is: 'here', answer: tariff }, normalise(event, typed).answers)
  const totalOf = (price: PriceView) => (price.is === 'price' ? price.quote.total : null)
  /** Total of the bill in the page, or null if the initial answers have no price. */
  const billed = totalOf(priced(startOf(event)))
  let isPressed = false

  const show = (): void => {
    const price = priced({ ...startOf(event), ...Object.fromEntries(typedIn(event)) })
    const total = totalOf(price)
    const says: Readonly<Record<Spot, string | null>> = {
      total: total === null ? NO_MONEY : formatPrice(total),
      instead: total === null ? null : formatPrice(total),
      short: price.is === 'none' ? price.why : '',
      empty:
        total === null
          ? null
          : formatMessage(FORM_PRICE_MESSAGES.total, { amount: formatPrice(total) }),
      why: price.is === 'none' ? price.why : null,
      pay: isPressed ? FORM_PRICE_MESSAGES.wait : buttonText(event, total),
    }
    for (const { text, drawn, is } of spots) text.data = says[is] ?? drawn
    for (const button of buttons) button.disabled = price.is === 'none'
    for (const reason of reasons) hide(reason, price.is !== 'none')
    for (const bill of bills) hide(bill, total !== billed)
  }
  const change = (): void => {
    // Pay was pressed for the previous answers.
    isPressed = false
    show()
  }
  const press = (submit: Event): void => {
    if ((submit.target as Element).id !== FORM_ID) return
    // Without this, the browser would send the answers in the URL.
    submit.preventDefault()
    isPressed = true
    show()
  }
  const leave = new AbortController()
  const { signal } = leave
  const form = document.getElementById(FORM_ID)
  form?.addEventListener(
    'keydown',
    (key) => onwardByEnter({ nativeEvent: key, currentTarget: form }),
    { signal },
  )
  document.addEventListener('input', change, { signal })
  document.addEventListener('change', change, { signal })
  document.addEventListener('submit', press, { signal })
  whenTaken(() => {
    leave.abort()
    for (const { text, drawn } of spots) text.data = drawn
    for (const each of [...reasons, ...bills]) hide(each, false)
    return isPressed
  })
  show()
}

const page = JSON.parse(document.getElementById('page')?.textContent ?? 'null') as PageData | null
if (page?.page === 'event' && page.drawn) goAhead(page)
