import { useEffect, useSyncExternalStore } from 'react';
import type { ShownQuestion } from '../../../src/contract/questions.ts';
import { asAnswered, cardMemories, cardMemory, onCardMemory, remember } from '../card-memory.ts';
import type { CardMemories, CardMemory } from '../storage.ts';

/** What is remembered of all cards. */
export function useCards(): CardMemories {
	return useSyncExternalStore(onCardMemory, cardMemories);
}

/** What is remembered of a card, and its question as this phone knows it. */
export function useCard(
	key: string,
	asked?: ShownQuestion,
): { memory: CardMemory; question: ShownQuestion | undefined } {
	const memory = useSyncExternalStore(onCardMemory, () => cardMemory(key));
	const question = asAnswered(asked, memory);
	const isOver = question !== undefined && question.status !== 'open';
	const hasDraft = memory.draft !== undefined;
	useEffect(() => {
		if (isOver && hasDraft) void remember(key, { draft: undefined });
	}, [key, isOver, hasDraft]);
	return { memory, question };
}
