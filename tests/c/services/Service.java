// SPDX-License-Identifier: Apache-2.0
/** The C library by the Java Native Interface, which every Java has; service_jni.c is the other half. */
public final class Service {
  static {
    System.loadLibrary("service_jni");
  }

  private static native long newRun();

  private static native void freeRun(long run);

  /** Throws what the library says of bad arguments. */
  private static native void add(long run, String mechanism, String[] names, double[] values, long count);

  /** Both ends. */
  private static native double[] epsilon(long run, double delta);

  public static void main(String[] arguments) {
    long run = newRun();
    try {
      String[] step = {"noise_multiplier", "sampling_probability"};
      add(run, "poisson_sampled(gaussian)", step, new double[] {1.0, 0.01}, 10000);
      add(run, "laplace", new String[] {"noise_multiplier"}, new double[] {20.0}, 5);
      double[] epsilon = epsilon(run, 1e-5);
      System.out.println(epsilon[0] + " " + epsilon[1]);
      add(run, "laplace", new String[] {"noise_multiplier"}, new double[] {0.0}, 1);
    } catch (IllegalArgumentException error) {
      System.exit(error.getMessage().startsWith("noise_multiplier must be") ? 0 : 1);
    } finally {
      freeRun(run);
    }
    System.exit(1);
  }
}
