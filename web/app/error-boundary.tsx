/** The app's only error boundary: shows a message instead of a blank page. */
import { Component } from 'react'
import type { ReactNode } from 'react'

type BoundaryProps = {
  /** Content shown after an error. */
  readonly otherwise: ReactNode
  /** Rendering is retried when this value changes, such as the URL or a text. */
  readonly resetBy: unknown
  readonly children: ReactNode
}
type BoundaryState = { readonly isBroken: boolean; readonly of: unknown }

/** Renders its children; after an error, `otherwise`, until `resetBy` changes. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { isBroken: false, of: this.props.resetBy }

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { isBroken: true }
  }

  static getDerivedStateFromProps(
    props: BoundaryProps,
    state: BoundaryState,
  ): Partial<BoundaryState> | null {
    return props.resetBy === state.of ? null : { isBroken: false, of: props.resetBy }
  }

  override render(): ReactNode {
    return this.state.isBroken ? this.props.otherwise : this.props.children
  }
}
