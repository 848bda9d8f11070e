/* SPDX-License-Identifier: Apache-2.0 */
#include <hockeystick.h>
#include <jni.h>

/* Has Java throw what the library says. */
static void check(JNIEnv *java, int status) {
  jclass error = (*java)->FindClass(java, "java/lang/IllegalArgumentException");
  if (status < 0 && error != NULL) (*java)->ThrowNew(java, error, hs_last_error());
}

JNIEXPORT jlong JNICALL Java_Service_newRun(JNIEnv *java, jclass self) {
  (void)java, (void)self;
  return (jlong)(intptr_t)hs_run_new();
}

JNIEXPORT void JNICALL Java_Service_freeRun(JNIEnv *java, jclass self, jlong run) {
  (void)java, (void)self;
  hs_run_free((hs_run *)(intptr_t)run);
}

enum { MOST = 8 };

JNIEXPORT void JNICALL Java_Service_add(JNIEnv *java, jclass self, jlong run, jstring mechanism, jobjectArray names,
                                        jdoubleArray values, jlong count) {
  (void)self;
  hs_parameter given[MOST] = {{NULL, 0, NULL, 0}};
  jdouble numbers[MOST];
  jsize n = (*java)->GetArrayLength(java, names);
  if (n > MOST) n = MOST;
  (*java)->GetDoubleArrayRegion(java, values, 0, n, numbers);
  if ((*java)->ExceptionCheck(java)) return; /* fewer values than names */
  for (jsize k = 0; k < n; ++k) {
    jstring name = (*java)->GetObjectArrayElement(java, names, k);
    given[k].name = (*java)->GetStringUTFChars(java, name, NULL);
    given[k].value = numbers[k];
  }
  const char *text = (*java)->GetStringUTFChars(java, mechanism, NULL);
  check(java, hs_run_add((hs_run *)(intptr_t)run, text, given, (size_t)n, count));
  (*java)->ReleaseStringUTFChars(java, mechanism, text);
  for (jsize k = 0; k < n; ++k)
    (*java)->ReleaseStringUTFChars(java, (*java)->GetObjectArrayElement(java, names, k), given[k].name);
}

JNIEXPORT jdoubleArray JNICALL Java_Service_epsilon(JNIEnv *java, jclass self, jlong run, jdouble delta) {
  (void)self;
  hs_answer answer = {0, 0, 0, 0, 0};
  check(java, hs_epsilon((const hs_run *)(intptr_t)run, &delta, 1, NULL, &answer));
  if ((*java)->ExceptionCheck(java)) return NULL;
  const jdouble ends[] = {answer.lower, answer.upper};
  jdoubleArray both = (*java)->NewDoubleArray(java, 2);
  if (both != NULL) (*java)->SetDoubleArrayRegion(java, both, 0, 2, ends);
  return both;
}
