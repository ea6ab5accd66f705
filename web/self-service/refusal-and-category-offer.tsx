/** The reason for a refusal, with a button to accept the category offered instead. */
import { useState } from 'react'
import { formatPrice, fromMajorUnits, getLowerCaseLabel } from '../../engine/index.ts'
import { formatMessage, SELF_SERVICE_MESSAGES } from '../../engine/messages.ts'
import { call, createIdempotencyKey } from '../app/api-client.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import { Icon } from '../ui/icons-and-logo.tsx'
import { readActionMessage } from './self-service-api-responses.ts'
import type { PanelProps } from './panel-props.ts'
import './self-service.css'

const { offer: text } = SELF_SERVICE_MESSAGES

export function RefusalAndOffer({ event, data: { refused: refusal }, path, reload }: PanelProps) {
  const [key] = useState(createIdempotencyKey)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  if (refusal === null) return null
  const { why: reason, say: explanation, offer } = refusal
  const currency = readResponseCurrency(offer ?? {})
  const total = offer === null ? null : fromMajorUnits(offer.total, currency)
  const acceptOffer = async () => {
    if (offer === null || isBusy) return
    setBusy(true)
    setProblem(null)
    const result = await call(`${path}acts/`, readActionMessage, {
      method: 'POST',
      json: { act: 'accept_offer', category: offer.category, key },
      fallback: event.form.failure,
    })
    setBusy(false)
    if (result.ok) reload()
    else setProblem(result.error.message)
  }
  return (
    <section className="self-service-panel" aria-labelledby="my-refused">
      <h2 className="disp" id="my-refused">
        {offer === null ? text.refusalTitle : text.title}
      </h2>
      <p>{reason}</p>
      {explanation !== null && <p>{explanation}</p>}
      {offer !== null && total !== null && (
        <>
          <p>
            {formatMessage(text.explanation, {
              word: getLowerCaseLabel(event, 'category'),
              category: offer.label,
              amount: formatPrice(total, currency),
            })}
          </p>
          <div className="actions">
            <button
              type="button"
              className="btn"
              aria-disabled={isBusy}
              onClick={() => void acceptOffer()}
            >
              {formatMessage(text.accept, {
                category: offer.label,
                amount: formatPrice(total, currency),
              })}
            </button>
          </div>
          {problem !== null && (
            <p className="why bad" role="alert">
              <Icon name="bang" />
              <span>{problem}</span>
            </p>
          )}
        </>
      )}
    </section>
  )
}
