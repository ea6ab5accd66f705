/** Defines the timeouts for requests to payment gateways. */

/** The delegate is waiting for a page. After this time, the page states that the payment is still being confirmed. */
export const PAGE_QUERY_TIMEOUT_MS = 5_000
/** The delegate is waiting for the gateway's page. */
export const CHECKOUT_TIMEOUT_MS = 10_000
/** No browser waits for polling, a webhook or a dispute; a gateway that takes longer is queried again later. */
export const BACKGROUND_QUERY_TIMEOUT_MS = 20_000
/** A gateway moves money before it responds, so a client that disconnects earlier does not learn the result. */
export const REFUND_TIMEOUT_MS = 30_000
