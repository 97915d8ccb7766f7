/** Apple's levels of interruption, from the quietest to the loudest. */
export const INTERRUPTION_LEVELS = ['passive', 'active', 'time-sensitive', 'critical'] as const;

export type InterruptionLevel = (typeof INTERRUPTION_LEVELS)[number];
